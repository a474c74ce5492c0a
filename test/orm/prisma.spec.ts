import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './.tmp/prisma/client.js';
import { server } from './conformance/database.js';
import { describeJoining, type Library } from './conformance/joining.js';

describeJoining('Prisma', server, ({ url }) => library(connect(url)));
describeJoining('an extended Prisma', server, ({ url }) =>
  library(connect(url).$extends({ client: { $greet: () => 'hello' } })),
);

function library(prisma: any): Library {
  return {
    inTransaction: (work) => prisma.$transaction(work),
    inSavepoint: (tx, work) => tx.$transaction(work),
    notTransactions: { 'a PrismaClient': [prisma, 'a PrismaClient is no transaction'] },
    ended: 'Transaction already closed',
    close: () => prisma.$disconnect(),
  };
}

function connect(url: string): any {
  return new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) });
}
