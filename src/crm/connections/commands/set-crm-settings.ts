import { z } from 'zod';
import { recordAuditEntry } from '../../../audit/audit-entry.js';
import { type Caller } from '../../../kernel/caller.js';
import { Failure, invalid } from '../../../kernel/failure.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { type Transaction, UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { readsAssociated } from '../../adapters/associated.js';
import { snakeCase } from '../../adapters/crmc/names.js';
import { type CrmPermission, type CrmProvider } from '../../adapters/port.js';
import { CrmSync } from '../../sync/crm-sync.js';
import { applyWriteBack } from '../../write-back/write-back-store.js';
import { assertPermitted } from '../connection-warnings.js';
import { associationsOf, CrmAccounts } from '../crm-accounts.js';
import { providerParams } from '../crm-connection.js';
import { savePermissions } from '../crm-connection-store.js';
import { findConnectedCrm } from '../crm-connection-views.js';
import { callingCrm, crmFailures } from '../crm-failures.js';
import { type CrmSettings, crmSettings, settingsExample } from '../crm-settings.js';
import { countExcluded, saveSettings } from '../crm-settings-store.js';
import { standardLineValue } from '../line-mapping.js';

const body = crmSettings.extend({
  confirm: z
    .boolean()
    .default(false)
    .describe('true if imported deals that the settings exclude are to be deleted, which reverses their commission'),
});

function assertSupported(provider: CrmProvider, settings: CrmSettings): void {
  assertWritable(provider, settings);
  if (provider === 'crma') assertSupportedByCrma(settings);
  else if (settings.lines?.reference !== undefined)
    throw invalid({ path: 'lines.reference', message: 'is for crm-a only: other CRMs have line items' });
}

/** A field that is written cannot also be read: commission would depend on itself. */
function assertWritable(provider: CrmProvider, { writeBack, fields }: CrmSettings): void {
  const read = new Set(Object.values(fields));
  for (const [value, name] of Object.entries(writeBack ?? {})) {
    if (name === null) continue;
    const path = `writeBack.${value}`;
    if (provider === 'crmc' && !/__c$/.test(name))
      throw invalid({ path, message: 'must be the API name of a custom field, which ends in __c' });
    if (read.has(name) || read.has(snakeCase(name)))
      throw invalid({ path, message: 'is read by fields: commission cannot depend on what is written' });
  }
}

function assertSupportedByCrma({ deals, lineItems, people, credits, lines }: CrmSettings): void {
  if (deals.pipelines.length > 0) throw invalid({ path: 'deals.pipelines', message: 'crm-a has no pipelines' });
  if (lineItems) throw invalid({ path: 'lineItems', message: 'crm-a has no line items' });
  if (lines !== null) assertRefersToLines(lines);
  if (credits !== null)
    throw invalid({ path: 'credits', message: 'crm-a has no splits: a credit rule can read a member from a field' });
  if (people !== null && people.teams.length + people.roles.length > 0)
    throw invalid({ path: 'people', message: 'crm-a has no teams and no roles: name addresses' });
}

/** Lines of crm-a are records to which deals refer, and no attribute of them is known to be an amount. */
function assertRefersToLines({ reference, fields }: NonNullable<CrmSettings['lines']>): void {
  if (reference === undefined)
    throw invalid({ path: 'lines.reference', message: 'is required: crm-a has no line items' });
  if (!Object.keys(fields).some((name) => standardLineValue(name) === 'amount'))
    throw invalid({ path: 'lines.fields', message: 'must map amount' });
}

/** What the connection needs with these settings; null if the CRM is not connected, or if the settings need nothing. */
async function neededPermissions(
  accounts: CrmAccounts,
  workspaceId: string,
  provider: CrmProvider,
  settings: CrmSettings,
): Promise<CrmPermission[] | null> {
  if (!readsAssociated(associationsOf(settings))) return null;
  const permissions = await callingCrm(() => accounts.permissions(workspaceId, provider, settings));
  if (permissions !== null) assertPermitted(provider, permissions);
  return permissions;
}

/** Stores the settings; whether the CRM is connected. Deals that they exclude need a confirmation. */
async function store(
  tx: Transaction,
  { actor }: Caller,
  provider: CrmProvider,
  { confirm, ...settings }: z.output<typeof body>,
  permissions: readonly CrmPermission[] | null,
): Promise<boolean> {
  const { live, excluded } = await countExcluded(tx, provider, settings);
  if (excluded > 0 && !confirm)
    throw new Failure(
      'confirmation_required',
      `${excluded} of the ${live} imported deals are excluded by these settings. The next sync deletes them, which reverses their commission. Send confirm: true to accept this.`,
      { excluded, live },
    );
  await saveSettings(tx, provider, settings);
  await applyWriteBack(tx, provider);
  if (permissions !== null) await savePermissions(tx, provider, permissions);
  const details = { provider, excluded };
  await recordAuditEntry(tx, { actor }, { trigger: 'crm_settings', scope: 'workspace', details });
  return (await findConnectedCrm(tx, provider)) !== null;
}

export const setCrmSettings = operation({
  id: 'setCrmSettings',
  summary: 'Set what is read from a CRM and what is written to it, and start a sync with the new settings',
  method: 'put',
  path: '/v1/integrations/:provider/settings',
  access: 'admin',
  params: providerParams,
  body,
  response: crmSettings.extend({
    jobId: z.string().nullable().describe('Job of the sync (UUID); null if the CRM is not connected'),
  }),
  failures: { confirmation_required: 409, ...crmFailures },
  example: {
    params: { provider: 'crmb' },
    body: settingsExample,
    response: { ...settingsExample, jobId: sampleIds.jobId },
  },
  uses: { unitOfWork: UnitOfWork, sync: CrmSync, accounts: CrmAccounts },
  async execute({ params: { provider }, body: requested }, caller, { unitOfWork, sync, accounts }) {
    assertSupported(provider, requested);
    const permissions = await neededPermissions(accounts, caller.workspaceId, provider, requested);
    const isConnected = await unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, (tx) =>
      store(tx, caller, provider, requested, permissions),
    );
    const { confirm: _, ...settings } = requested;
    if (!isConnected) return { ...settings, jobId: null };
    const { jobId } = await sync.start(caller, provider, { reconcile: false, recalculate: false });
    return { ...settings, jobId };
  },
});
