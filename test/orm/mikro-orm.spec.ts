import * as mikroOrm from '@mikro-orm/postgresql';
import * as mikroOrm6 from 'mikro-orm-6';
import { server, type ServerDatabase } from './conformance/database.js';
import { describeJoining } from './conformance/joining.js';

for (const [name, library] of Object.entries({ MikroORM: mikroOrm, 'MikroORM 6': mikroOrm6 })) {
  describeJoining(`transactional() of ${name}`, server, async (database) => {
    const orm = await connect(database, library);
    return {
      inTransaction: (work) => orm.em.fork().transactional(work),
      inSavepoint: (em, work) => em.transactional(work),
      notTransactions: {
        'the global EntityManager': [orm.em, 'in no transaction'],
        'an idle fork': [orm.em.fork(), 'in no transaction'],
      },
      close: () => orm.close(),
    };
  });

  describeJoining(`begin() of ${name}`, server, async (database) => {
    const orm = await connect(database, library);
    return {
      async inTransaction(work) {
        const em = orm.em.fork();
        await em.begin();
        try {
          await work(em);
          await em.commit();
        } catch (error) {
          await em.rollback();
          throw error;
        }
      },
      inSavepoint: (em, work) => em.transactional(work),
      notTransactions: { 'an idle fork': [orm.em.fork(), 'in no transaction'] },
      close: () => orm.close(),
    };
  });

  // As an injected one is used: MikroORM finds the transaction of the call by itself.
  describeJoining(`the global EntityManager of ${name}`, server, async (database) => {
    const orm = await connect(database, library);
    return {
      inTransaction: (work) => orm.em.fork().transactional(() => work(orm.em)),
      inSavepoint: (em, work) => em.transactional(() => work(em)),
      notTransactions: { 'the global EntityManager': [orm.em, 'in no transaction'] },
      close: () => orm.close(),
    };
  });
}

function connect({ url }: ServerDatabase, { EntitySchema, MikroORM }: any): Promise<any> {
  const Order = new EntitySchema({ name: 'Order', properties: { id: { type: 'number', primary: true } } });
  return MikroORM.init({ clientUrl: url, entities: [Order] });
}
