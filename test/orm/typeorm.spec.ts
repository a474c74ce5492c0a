import { DataSource } from 'typeorm';
import { server, type ServerDatabase } from './conformance/database.js';
import { describeJoining } from './conformance/joining.js';

describeJoining("TypeORM's EntityManager", server, async (database) => {
  const dataSource = await connect(database);
  return {
    inTransaction: (work) => dataSource.transaction(work),
    inSavepoint: (manager, work) => manager.transaction(work),
    notTransactions: {
      'a DataSource': [dataSource, 'in no transaction'],
      'the EntityManager of a DataSource': [dataSource.manager, 'in no transaction'],
      'the EntityManager of an idle QueryRunner': [
        dataSource.createQueryRunner().manager,
        'in no transaction',
      ],
    },
    close: () => dataSource.destroy(),
  };
});

describeJoining("TypeORM's QueryRunner", server, async (database) => {
  const dataSource = await connect(database);
  const within = async (runner: any, work: (runner: any) => Promise<unknown>) => {
    await runner.startTransaction();
    try {
      await work(runner);
      await runner.commitTransaction();
    } catch (error) {
      await runner.rollbackTransaction();
      throw error;
    }
  };
  return {
    async inTransaction(work) {
      const runner = dataSource.createQueryRunner();
      try {
        await within(runner, work);
      } finally {
        await runner.release();
      }
    },
    inSavepoint: within,
    notTransactions: { 'an idle QueryRunner': [dataSource.createQueryRunner(), 'in no transaction'] },
    close: () => dataSource.destroy(),
  };
});

async function connect({ url }: ServerDatabase): Promise<any> {
  return new DataSource({ type: 'postgres', url }).initialize();
}
