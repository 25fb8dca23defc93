import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { operations } from '#src/operations.js';
import { type AnyOperation, isPublic } from '#src/platform/operations/operation.js';

const sources = fileURLToPath(new URL('../../../web/src', import.meta.url));

/** Operations of an admin that the web app leaves out, with the reason. */
const excluded: Readonly<Record<string, string>> = {
  getAuthStatus: 'the profile says who is signed in',
  whoAmI: 'the profile says who is signed in',
  listCommissionEvents: 'for data warehouses',
  listDealChanges: 'for data warehouses',
  listFieldAttributes: 'deprecated name of listFields',
  getCommissionsDashboard: 'deprecated name of getCommissions',
  listCommissionPeriods: 'periods are chosen in the period picker, also without commission',
  getDeal: 'the breakdown of a deal has the same values',
  getPlan: 'the history of a plan has the same versions',
  getPlanTemplate: 'the list of templates has the same content',
  deletePlanOverride: 'setPlanOverride without rules does the same, in later versions too',
  putDeal: 'deals come from files and CRMs; the import changes single values of a deal',
  listAdjustmentProposals: 'the statement has the adjustments that wait',
  getStatementStatus: 'the list of statements has the status',
  getApprovalJob: 'the list of approvals has the same',
  getGenerationJob: 'the list of generations has the same',
  getHandoverJob: 'the list of hand-overs by workers has the same',
  getPreparationJob: 'the month has the job that prepares it',
  trueUpStatement: 'the page of discrepancies pays the difference through resolveDiscrepancy',
  setCrmcSync: 'updateIntegration does the same for every CRM',
  getRefund: 'the list of the refunds of a deal has the same',
  getInvoice: 'the list of the invoices of a deal has the same',
  getPayoutBatch: 'the list of batches has the sums, and the file has the lines',
  deleteComment: 'comments stay with the statement',
  previewRateTable: 'saving a table shows the same before it is stored',
  lookUpRate: 'the page of a table has all of its rows, with a filter',
  getPersonValues: 'the title, team and location of a person are those of today',
  setPersonValues: 'a changed title, team or location holds from the day on which it is entered',
  importRateTableRows: 'rows are pasted into the page of a table',
};

/** The operations that the pages call, as `api.<id>`. */
function called(): ReadonlySet<string> {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  const text = files.map((name) => readFileSync(path.join(sources, name), 'utf8')).join('\n');
  return new Set([...text.matchAll(/\bapi\.(\w+)/g)].map(([, id = '']) => id));
}

describe('the operations of an admin', () => {
  const ofAdmin = (operations as readonly AnyOperation[])
    .filter((operation) => !isPublic(operation))
    .map(({ id }) => id);

  it('are reachable in the web app, or left out for a reason', () => {
    const reachable = called();
    expect(ofAdmin.filter((id) => !reachable.has(id) && excluded[id] === undefined)).to.deep.equal([]);
  });

  it('are left out only if they exist and no page calls them', () => {
    const reachable = called();
    expect(Object.keys(excluded).filter((id) => !ofAdmin.includes(id) || reachable.has(id))).to.deep.equal([]);
  });
});
