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

const all: readonly AnyOperation[] = operations;

function operationOf(subject: ImportSubject): AnyOperation {
  return all.find(({ id }) => id === operationIds[subject]) as AnyOperation;
}

function uploadLimitOf(subject: ImportSubject): number {
  return operationOf(subject).upload?.limitBytes ?? 0;
}

/** How large a file of each subject may be. */
export const uploadLimits: Readonly<Record<ImportSubject, number>> = {
  deals: uploadLimitOf('deals'),
  people: uploadLimitOf('people'),
  quotas: uploadLimitOf('quotas'),
  invoices: uploadLimitOf('invoices'),
};

/** Calls the operations that import files, with the checks and the audit log of every call. */
export function importsThrough(dispatcher: OperationDispatcher): CallImport {
  return async (subject, query, stream, caller) => {
    const body = { contentType: 'text/csv', stream };
    const { body: answer } = await dispatcher.run(operationOf(subject), { params: {}, query, body }, caller);
    return answer;
  };
}
