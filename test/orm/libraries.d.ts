// The types of the libraries are not looked at: they may not be installed yet when everything else is checked.
declare module '@mikro-orm/postgresql';
declare module '@prisma/adapter-pg';
declare module 'drizzle-orm';
declare module 'drizzle-orm/node-postgres';
declare module 'drizzle-orm/pglite';
declare module 'drizzle-orm/postgres-js';
declare module 'knex';
declare module 'kysely';
declare module 'kysely-0.27';
declare module 'mikro-orm-6';
declare module 'pg-8.20';
declare module 'postgres';
declare module 'typeorm';
declare module '*/prisma/client.js';
