export { EntitySchema, MikroORM } from '@mikro-orm/postgresql';
