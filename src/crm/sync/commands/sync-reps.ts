import { z } from 'zod';
import { Failure } from '../../../kernel/failure.js';
import { timeLimit } from '../../../kernel/time-limit.js';
import { withTimeout } from '../../../kernel/waiting.js';
import { CommissionChanges } from '../../../ledger/requests/commission-changes.js';
import { importCrmMembers } from '../../../people/reps/import-crm-members.js';
import { rep, repExample } from '../../../people/reps/rep.js';
import { listReps, workspaceToday } from '../../../people/reps/rep-views.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { operation } from '../../../platform/operations/operation.js';
import { type CrmMember, type CrmProvider } from '../../adapters/port.js';
import { CrmAccounts } from '../../connections/crm-accounts.js';
import { connectedCrm } from '../../connections/crm-connection-views.js';
import { callingCrm, crmFailures } from '../../connections/crm-failures.js';

const response = z.object({
  synced: z.literal(true).describe('Always true'),
  count: z.int().describe('Number of reps'),
  reps: z.array(rep).describe("The reps after the import of the CRM's members"),
});

const maxWaitMs = timeLimit(25_000);

function fetchMembers(workspaceId: string, provider: CrmProvider, accounts: CrmAccounts): Promise<CrmMember[]> {
  return callingCrm(async () => {
    const account = await accounts.open(workspaceId, provider);
    if (account === null) throw new Failure('no_crm_configured', `${provider} was connected without credentials.`);
    return withTimeout(maxWaitMs, account.listMembers(), () => {
      throw new Failure('crm_unavailable', 'The CRM did not respond in time. Try again later.');
    });
  });
}

export const syncReps = operation({
  id: 'syncReps',
  summary: 'Import the people of the connected CRM as reps',
  method: 'post',
  path: '/v1/reps/sync',
  access: 'admin',
  response,
  failures: { no_crm_configured: 400, ...crmFailures },
  example: { response: { synced: true, count: 1, reps: [repExample] } },
  uses: { unitOfWork: UnitOfWork, changes: CommissionChanges, accounts: CrmAccounts, clock: CLOCK },
  async execute(_input, caller, { unitOfWork, changes, accounts, clock }): Promise<z.input<typeof response>> {
    const { workspaceId } = caller;
    const provider = await unitOfWork.read(caller, (tx) => connectedCrm(tx));
    const members = await fetchMembers(workspaceId, provider, accounts);
    return changes.run(caller, 'exclusive', async (tx, recalculate) => {
      const { repIds } = await importCrmMembers(tx, recalculate, provider, members);
      const reps = await listReps(tx, await workspaceToday(tx, clock), { repIds });
      return { synced: true, count: reps.length, reps };
    });
  },
});
