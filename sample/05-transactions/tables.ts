/** What the shop keeps; in a real application its migrations make this. */
export const tables = [
  'CREATE SCHEMA IF NOT EXISTS shop',
  `CREATE TABLE IF NOT EXISTS shop.stock (item text PRIMARY KEY, pieces integer NOT NULL CHECK (pieces >= 0))`,
  `CREATE TABLE IF NOT EXISTS shop.orders (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    item text NOT NULL,
    email text NOT NULL,
    state text NOT NULL DEFAULT 'placed'
  )`,
  `CREATE TABLE IF NOT EXISTS shop.payments ("order" integer NOT NULL REFERENCES shop.orders, attempt integer NOT NULL)`,
  `INSERT INTO shop.stock VALUES ('teapot', 1000), ('unicorn', 0) ON CONFLICT DO NOTHING`,
];
