import { absenceImport } from './absences.js';
import { assignmentImport } from './assignments.js';
import { companyImport } from './companies.js';
import { contractImport } from './contracts.js';
import { dealImport } from './deals.js';
import { drawImport } from './draws.js';
import { estimateImport } from './estimates.js';
import { invoiceImport } from './invoices.js';
import { type ImportKey, type ImportKind } from './kind.js';
import { lineImport } from './lines.js';
import { openingLotImport } from './opening-lots.js';
import { peopleImport } from './people.js';
import { quotaImport } from './quotas.js';
import { refundImport } from './refunds.js';
import { splitImport } from './splits.js';
import { writeOffImport } from './write-offs.js';

export const importKinds: Readonly<Record<ImportKey, ImportKind>> = {
  people: peopleImport,
  deals: dealImport,
  lines: lineImport,
  quotas: quotaImport,
  assignments: assignmentImport,
  splits: splitImport,
  absences: absenceImport,
  invoices: invoiceImport,
  refunds: refundImport,
  draws: drawImport,
  contracts: contractImport,
  companies: companyImport,
  openingLots: openingLotImport,
  writeOffs: writeOffImport,
  estimates: estimateImport,
};

export function isImportKey(value: unknown): value is ImportKey {
  return typeof value === 'string' && Object.hasOwn(importKinds, value);
}
