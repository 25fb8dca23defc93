import { type RawBuilder, sql } from 'kysely';
import { recordAuditEntry } from '../../audit/audit-entry.js';
import { usualSlugs } from '../../engine/standard-slugs.js';
import { Failure } from '../../kernel/failure.js';
import { isUuid } from '../../kernel/ids.js';
import { withDryRun } from '../../platform/database/dry-run.js';
import { type Transaction, type UnitOfWork } from '../../platform/database/unit-of-work.js';
import { assertHeadcount, countHeads } from './headcount.js';
import { lockPeople } from './lock-people.js';
import { createPseudonym, type Pseudonym } from './pseudonym.js';
import { endSessions, findRep, findRepsBy, type StoredRep } from './rep-store.js';

/** How many rows of each kind were changed or deleted. */
type ErasedRows = Readonly<Record<string, number>>;

interface Erasure {
  readonly repId: string;
  readonly name: string;
  readonly rows: ErasedRows;
}

/**
 * Replaces the name, the addresses and the external ids of a person by a pseudonym, wherever they are stored, and
 * deactivates the person. Amounts, statements, history and the audit log do not change: they contain the id of the rep.
 * It needs the `shared` workspace lock.
 */
export async function erasePerson(tx: Transaction, who: { readonly actor: string }, repId: string): Promise<Erasure> {
  await lockPeople(tx);
  const stored = await findRep(tx, repId);
  if (stored === undefined) throw new Failure('rep_not_found', 'There is no such person in this workspace.', { repId });
  const pseudonym = createPseudonym(repId);
  const before = await countHeads(tx);
  await endSessions(tx, [repId]);
  const rows = {
    deals: await eraseFromDeals(tx, stored, pseudonym, 'deals'),
    dealSnapshots: await eraseFromDeals(tx, stored, pseudonym, 'deal_snapshots'),
    approvals: await eraseApprover(tx, repId, pseudonym),
    payrollHandovers: await eraseFromHandovers(tx, repId, pseudonym),
    payoutFiles: await erasePayoutFiles(tx, repId),
    closings: await eraseFromClosings(tx, repId),
    files: await deleteFiles(tx, repId),
    importedFiles: await eraseFromImportedFiles(tx, stored),
    responses: await deleteResponses(tx, stored),
    changeRequests: await deleteChangeRequests(tx, stored),
    mails: await deleteMails(tx, stored.email),
  };
  await eraseRep(tx, stored, pseudonym);
  assertHeadcount(before, await countHeads(tx));
  await recordAuditEntry(tx, who, { trigger: 'person_erased', scope: 'rep', repId, details: rows });
  return { repId, name: pseudonym.name, rows };
}

async function eraseRep(
  tx: Transaction,
  { repId, crmMemberId, payrollId }: StoredRep,
  { name, email, externalId }: Pseudonym,
): Promise<void> {
  await tx.db
    .updateTable('reps')
    .set({
      name,
      email,
      crm_member_id: crmMemberId === null ? null : externalId,
      payroll_id: payrollId === null ? null : externalId,
      avatar: null,
      title: null,
      team: null,
      location: null,
      fields: '{}',
      saved_views: '[]',
      active: false,
    })
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', repId)
    .execute();
  await tx.db
    .updateTable('absences')
    .set({ note: null })
    .where('workspace_id', '=', tx.workspaceId)
    .where('rep_id', '=', repId)
    .execute();
  for (const table of ['owner_matches', 'scim_users', 'imported_facts', 'crm_members', 'visits'])
    await sql`delete from ${sql.table(table)} where workspace_id = ${tx.workspaceId} and rep_id = ${repId}`.execute(
      tx.db,
    );
}

/**
 * Replaces values of deals that equal the name, the address or, in fields of the owner, the CRM member id. The hash of
 * the content stays, so an unchanged deal of the next import is not a change. The owner is found by the new ids.
 */
async function eraseFromDeals(
  tx: Transaction,
  { repId, name, email, crmMemberId }: StoredRep,
  pseudonym: Pseudonym,
  table: 'deals' | 'deal_snapshots',
): Promise<number> {
  const { field_mapping: mapping } = await tx.db
    .selectFrom('workspaces')
    .select('field_mapping')
    .where('workspace_id', '=', tx.workspaceId)
    .executeTakeFirstOrThrow();
  const ownerKeys = [...usualSlugs.ownerId, ...Object.values({ mapped: mapping.standard['ownerId'] })];
  const everywhere = { [name.toLowerCase()]: pseudonym.name, [email]: pseudonym.email };
  const ofOwner = crmMemberId === null ? {} : { [crmMemberId.toLowerCase()]: pseudonym.externalId };
  const needles = [name, email, ...(crmMemberId === null ? [] : [crmMemberId])].map((text) => text.toLowerCase());
  const replaced = (column: RawBuilder<unknown>) => sql`(
    select coalesce(jsonb_object_agg(e.key, coalesce(
      case when jsonb_typeof(e.value) in ('string', 'number') then coalesce(
        ${JSON.stringify(everywhere)}::jsonb -> lower(trim(e.value #>> '{}')),
        case when e.key = any(${ownerKeys}::text[]) then
          ${JSON.stringify(ofOwner)}::jsonb -> lower(trim(e.value #>> '{}')) end) end,
      e.value)), '{}')
    from jsonb_each(${column}) e)`;
  const ownerColumns = {
    owner_email: sql`case when lower(d.owner_email) = ${email} then ${pseudonym.email} else d.owner_email end`,
    owner_id: sql`coalesce(${JSON.stringify({ ...ofOwner, ...everywhere })}::jsonb ->> lower(d.owner_id), d.owner_id)`,
  };
  const columns = {
    fields: replaced(sql`d.fields`),
    given: replaced(sql`d.given`),
    ...(table === 'deals' ? ownerColumns : {}),
  };
  const names = Object.keys(columns);
  const isOwn = table === 'deal_snapshots' ? sql`false` : sql`d.rep_id = ${repId}`;
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} d
    set (${sql.join(names.map((name) => sql.ref(name)))}) = row (${sql.join(Object.values(columns))})
    where d.workspace_id = ${tx.workspaceId} and (${isOwn} or exists (
      select from unnest(${needles}::text[]) needle
      where strpos(lower(d.fields::text), needle) > 0 or strpos(lower(d.given::text), needle) > 0))
      and (${sql.join(Object.values(columns))}) is distinct from (${sql.join(names.map((name) => sql.ref(`d.${name}`)))})`.execute(
    tx.db,
  );
  return Number(numAffectedRows);
}

/** The name of the approver is stored with the approval, as it was then. */
async function eraseApprover(tx: Transaction, repId: string, { name }: Pseudonym): Promise<number> {
  const { numAffectedRows } = await sql`
    update statement_periods set approver = jsonb_set(approver, '{name}', to_jsonb(${name}::text))
    where workspace_id = ${tx.workspaceId} and approver ->> 'repId' = ${repId}`.execute(tx.db);
  // After the current rows, whose change is recorded in the history.
  await sql`select rename_approver_in_history(${repId}, ${name})`.execute(tx.db);
  return Number(numAffectedRows);
}

async function eraseFromHandovers(tx: Transaction, repId: string, { name, email }: Pseudonym): Promise<number> {
  const { numAffectedRows } = await sql`
    update payroll_handovers set missing_payroll_ids = (
      select jsonb_agg(case when p.person ->> 'repId' = ${repId}
        then p.person || jsonb_build_object('name', ${name}::text, 'email', ${email}::text) else p.person end order by p.place)
      from jsonb_array_elements(missing_payroll_ids) with ordinality p (person, place))
    where workspace_id = ${tx.workspaceId}
      and missing_payroll_ids @> jsonb_build_array(jsonb_build_object('repId', ${repId}::text))`.execute(tx.db);
  return Number(numAffectedRows);
}

/** The files of payout batches with the person. What the batches paid stays. */
async function erasePayoutFiles(tx: Transaction, repId: string): Promise<number> {
  const { numAffectedRows } = await sql`
    update payout_batches b set content = null
    where b.workspace_id = ${tx.workspaceId} and b.content is not null and exists (
      select from payout_batch_lines l
      where l.workspace_id = b.workspace_id and l.batch_id = b.batch_id and l.rep_id = ${repId})`.execute(tx.db);
  return Number(numAffectedRows);
}

/** What closed months show of the person in files of their journals. Amounts stay, with the id. */
async function eraseFromClosings(tx: Transaction, repId: string): Promise<number> {
  const { numAffectedRows } = await sql`
    update accounting_closings set content = content #- array['labels', 'people', ${repId}]
    where workspace_id = ${tx.workspaceId} and content #> array['labels', 'people', ${repId}] is not null`.execute(
    tx.db,
  );
  return Number(numAffectedRows);
}

/** Files of the person and of teams, and previews and books, which may contain the person. They can be made again. */
async function deleteFiles(tx: Transaction, repId: string): Promise<number> {
  const { rows } = await sql<{ kind: string; jobId: string }>`
    delete from stored_jobs
    where workspace_id = ${tx.workspaceId}
      and (kind in ('books', 'preview') or kind = 'export' and coalesce(subject ->> 'repId', ${repId}) = ${repId})
    returning kind, job_id as "jobId"`.execute(tx.db);
  for (const job of rows) tx.changeJob({ ...job, hasEnded: true });
  return rows.length;
}

/** The first rows, the rejected rows and the unknown owners of files of scheduled imports that name the person. */
async function eraseFromImportedFiles(tx: Transaction, { name, email, crmMemberId, payrollId }: StoredRep) {
  const needles = [name, email, crmMemberId, payrollId].flatMap((text) => text?.toLowerCase() ?? []);
  const { numAffectedRows } = await sql`
    update scheduled_import_files f
    set sample = f.sample || '{"rows": []}', result = f.result || '{"reasons": [], "unknownOwners": []}'
    where f.workspace_id = ${tx.workspaceId} and exists (
      select from unnest(${needles}::text[]) needle
      where strpos(lower(concat(f.sample, f.result)), needle) > 0)`.execute(tx.db);
  return Number(numAffectedRows);
}

function listNeedles({ name, email }: StoredRep): string[] {
  return [name, email].map((text) => text.toLowerCase());
}

/** Responses that are stored for repeated requests with an idempotency key. */
async function deleteResponses(tx: Transaction, stored: StoredRep): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from idempotency_keys where workspace_id = ${tx.workspaceId} and exists (
      select from unnest(${listNeedles(stored)}::text[]) needle
      where strpos(lower(response), needle) > 0)`.execute(tx.db);
  return Number(numAffectedRows);
}

/** Changes that agents have requested, with what they would change and what became of it. */
async function deleteChangeRequests(tx: Transaction, stored: StoredRep): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from change_requests where workspace_id = ${tx.workspaceId} and exists (
      select from unnest(${listNeedles(stored)}::text[]) needle
      where strpos(lower(concat_ws(' ', input::text, outcome::text, reason)), needle) > 0)`.execute(tx.db);
  return Number(numAffectedRows);
}

async function deleteMails(tx: Transaction, email: string): Promise<number> {
  const { rows } = await sql<{ mails: number }>`select delete_mails_to(${email}) as mails`.execute(tx.db);
  return rows[0]?.mails ?? 0;
}

/** Erases the person with the id or the e-mail address. A dry run counts the rows and changes nothing. */
export async function eraseAtCommandLine(
  unitOfWork: UnitOfWork,
  who: { readonly workspaceId: string; readonly actor: string },
  person: string,
  dryRun: boolean,
): Promise<Erasure> {
  return withDryRun(dryRun, (end) =>
    unitOfWork.run(who, { lock: 'shared', access: 'write' }, async (tx) => {
      const [found] = isUuid(person) ? [] : await findRepsBy(tx, [person.toLowerCase()], []);
      if (found === undefined && !isUuid(person))
        throw new Failure('rep_not_found', `There is no person with the address ${person} in this workspace.`);
      return end(await erasePerson(tx, who, found?.repId ?? person));
    }),
  );
}
