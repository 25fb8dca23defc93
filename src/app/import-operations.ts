import { operations } from '../operations.js';
import { type AnyOperation } from '../platform/operations/operation.js';
import { type OperationDispatcher } from '../platform/operations/operation-dispatcher.js';
import { type CallImport } from '../scheduled-imports/import-calls.js';
import { type ImportSubject } from '../scheduled-imports/scheduled-import.js';

const operationIds: Readonly<Record<ImportSubject, string>> = {
  deals: 'importDeals',
  people: 'importReps',
  quotas: 'importQuotas',
  invoices: 'importInvoices',
};

/** Calls the operations that import files, with the checks and the audit log of every call. */
export function importsThrough(dispatcher: OperationDispatcher): CallImport {
  const all: readonly AnyOperation[] = operations;
  return async (subject, query, stream, caller) => {
    const operation = all.find(({ id }) => id === operationIds[subject]) as AnyOperation;
    const body = { contentType: 'text/csv', stream };
    const { body: answer } = await dispatcher.run(operation, { params: {}, query, body }, caller);
    return answer;
  };
}
