import { embedded } from './conformance/database.js';
import { describeJoining } from './conformance/joining.js';

describeJoining('PGlite', embedded, ({ pglite }) => ({
  inTransaction: (work) => pglite.transaction(work),
  async inSavepoint(tx, work) {
    await tx.exec('SAVEPOINT a');
    try {
      await work(tx);
      await tx.exec('RELEASE SAVEPOINT a');
    } catch (error) {
      await tx.exec('ROLLBACK TO SAVEPOINT a');
      throw error;
    }
  },
  notTransactions: { 'a PGlite': [pglite, 'the database itself'] },
  close: async () => {},
}));
