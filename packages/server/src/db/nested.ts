/** A transaction that work meant for the whole database can run in. */
import type { Transactable, Transaction } from './database.ts';

/** What would open a transaction of its own joins the one that is open: a failure of either undoes both. */
export function insideTransaction(tx: Transaction): Transactable {
  return {
    engine: tx.engine,
    isInTransaction: true,
    query: (statement) => tx.query(statement),
    one: (statement) => tx.one(statement),
    maybeOne: (statement) => tx.maybeOne(statement),
    run: (statement) => tx.run(statement),
    batch: (statements) => tx.batch(statements),
    transaction: (work) => work(tx),
  };
}
