import { sql } from 'kysely';
import { type Day } from '../../kernel/day.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type StatementLine } from '../../statements/snapshot.js';

/** The days of the packet as instants, and the instant whose state it shows. */
export interface EvidenceScope {
  readonly from: Day;
  readonly to: Day;
  readonly begin: Date;
  readonly asOf: Date;
}

/** The rows of the packet, read from what has a history, so that the same request finds the same rows later. */
export async function readScope(
  tx: Transaction,
  { from, to }: { readonly from: Day; readonly to: Day },
): Promise<EvidenceScope> {
  if (tx.asOf === null) throw new Error('a packet shows the state of an instant');
  return { from, to, begin: await beginOfDay(tx, from), asOf: tx.asOf };
}

/** The first instant of the day in the zone of the workspace. */
export async function beginOfDay(tx: Transaction, day: Day): Promise<Date> {
  const { rows } = await sql<{ begin: Date }>`
    select ${day}::date::timestamp at time zone known_zone(timezone) as begin
    from workspaces where workspace_id = ${tx.workspaceId}`.execute(tx.db);
  return rows[0]?.begin ?? new Date(0);
}

/** The link of an entry in the chain. */
interface Link {
  readonly position: number;
  readonly hash: string;
}

/** The entries of the range are those after `before`, through `head`. */
export interface Chain {
  readonly before: Link | null;
  readonly first: number;
  readonly head: Link | null;
  /** The position of the last entry until the instant of the packet. */
  readonly through: number;
}

export async function readChain(tx: Transaction, { begin, asOf }: EvidenceScope): Promise<Chain> {
  const { rows } = await sql<{ first: number | null; last: number | null; through: number }>`
    select min(position) filter (where at >= ${begin}::timestamptz)::float8 as first,
      max(position) filter (where at >= ${begin}::timestamptz)::float8 as last,
      coalesce(max(position), 0)::float8 as through
    from audit_entries
    where workspace_id = ${tx.workspaceId} and position is not null and at <= ${asOf}::timestamptz`.execute(tx.db);
  const { first = null, last = null, through = 0 } = rows[0] ?? {};
  if (first === null || last === null) return { before: null, first: 1, head: null, through };
  const links = await sql<Link>`
    select position::float8 as position, encode(hash, 'hex') as hash from audit_entries
    where workspace_id = ${tx.workspaceId} and position in (${first - 1}, ${last})`.execute(tx.db);
  const at = (position: number) => links.rows.find((link) => link.position === position) ?? null;
  return { before: at(first - 1), first, head: at(last), through };
}

/** Whether entries until the instant of the transaction have no place in the chain yet. */
export async function hasUnsealed(tx: Transaction): Promise<boolean> {
  const { rows } = await sql<{ isUnsealed: boolean }>`
    select exists (select from audit_entries
      where workspace_id = ${tx.workspaceId} and position is null and at <= ${tx.asOf}::timestamptz) as "isUnsealed"`.execute(
    tx.db,
  );
  return rows[0]?.isUnsealed === true;
}

/** A change of a row by a call of a person or key. */
export interface RowChange {
  readonly position: number;
  readonly at: string;
  readonly actor: string;
  readonly operation: string;
  readonly change: {
    readonly table: string;
    readonly id: Readonly<Record<string, string>>;
    readonly before: Readonly<Record<string, unknown>> | null;
    readonly after: Readonly<Record<string, unknown>> | null;
  };
}

/** The changes of rows of the tables in the entries of the chain from `first` on, through `last` if it is given. */
export async function listChanges(
  tx: Transaction,
  { first, last }: { readonly first: number; readonly last: number | null },
  tables: readonly string[],
): Promise<RowChange[]> {
  const { rows } = await sql<RowChange>`
    select e.position::float8 as position, c.content ->> 'at' as at, c.content ->> 'actor' as actor,
      c.content ->> 'operation' as operation, x.change
    from audit_entries e
    cross join lateral (select e.content::jsonb as content offset 0) c
    cross join lateral jsonb_array_elements(c.content -> 'changes') with ordinality x (change, place)
    where e.workspace_id = ${tx.workspaceId} and e.position >= ${first} ${last === null ? sql`` : sql`and e.position <= ${last}`}
      and x.change ->> 'table' = any(${tables}::text[])
    order by e.position, x.place`.execute(tx.db);
  return rows;
}

interface PersonRow {
  readonly repId: string;
  readonly name: string;
  readonly email: string;
  readonly role: string;
  readonly active: boolean;
}

/** Everyone with their rights at the instant: those of today without the changes that were made later. */
export async function listPeople(tx: Transaction, { asOf }: EvidenceScope, later: readonly RowChange[]) {
  const { rows } = await sql<PersonRow>`
    select rep_id as "repId", name, email, role, active from reps
    where workspace_id = ${tx.workspaceId} and created_at <= ${asOf}::timestamptz
    order by rep_id`.execute(tx.db);
  const earliest = (repId: string, column: 'role' | 'active') =>
    later.find(({ change }) => change.id['rep_id'] === repId && change.before?.[column] !== undefined)?.change.before?.[
      column
    ];
  return rows.map(({ repId, role, active, ...person }) => ({
    repId,
    ...person,
    role: earliest(repId, 'role') ?? role,
    active: earliest(repId, 'active') ?? active,
  }));
}

/** What was active: later activations are not known at the instant. A version does not change while it is active. */
export async function listPlanVersions(
  tx: Transaction,
  { to, asOf }: EvidenceScope,
  activatedLater: readonly string[],
) {
  const { rows } = await sql`
    select v.plan_version_id as "planVersionId", v.plan_id as "planId", p.name, v.version, v.effective_start as "from",
      v.currency, v.fx, v.config, v.deal_conditions as "dealConditions", v.field_mapping as "fieldMapping", v.tests,
      v.created_at as "createdAt", plan_configuration_sha256(v) as "configurationSha256"
    from plan_versions v join plans p on p.workspace_id = v.workspace_id and p.plan_id = v.plan_id
    where v.workspace_id = ${tx.workspaceId} and v.has_been_active and v.created_at <= ${asOf}::timestamptz
      and (v.effective_start is null or v.effective_start <= ${to}::date)
      and v.plan_version_id <> all(${activatedLater}::uuid[])
    order by v.plan_id, v.version`.execute(tx.db);
  return rows;
}

/** The acceptances that were given before the instant; those of one person where an id is given. */
export async function listAcceptances(tx: Transaction, asOf: Date, repId: string | null) {
  const { rows } = await sql`
    select acceptance_id as "acceptanceId", plan_id as "planId", plan_version_id as "planVersionId", rep_id as "repId",
      decision, signed_name as "signedName", reason, address, decided_at as "decidedAt", decided_on as "decidedOn", sha256,
      configuration_sha256 as "configurationSha256", document
    from plan_acceptances
    where workspace_id = ${tx.workspaceId} and decided_at <= ${asOf}::timestamptz
      ${repId === null ? sql`` : sql`and rep_id = ${repId}`}
    order by decided_at, acceptance_id`.execute(tx.db);
  return rows;
}

/** A version of a statement that counted at the instant, or that someone has signed. */
interface EvidenceStatement {
  readonly repId: string;
  readonly period: string;
  readonly version: number;
  readonly isCurrent: boolean;
  readonly status: 'draft' | 'approved' | null;
  readonly lines: readonly StatementLine[];
  readonly contentHash: string;
}

/** Which statements: those of periods with a day in the range; those of one person where an id is given. */
type StatementScope = EvidenceScope & { readonly repId: string | null };

export interface StatementKey {
  readonly repId: string;
  readonly period: string;
}

/** The periods of people of which a version existed at the instant, in their order. */
export async function listStatementKeys(
  tx: Transaction,
  { from, to, asOf, repId }: StatementScope,
): Promise<StatementKey[]> {
  const { rows } = await sql<StatementKey>`
    select distinct rep_id as "repId", period from statement_period_history
    where workspace_id = ${tx.workspaceId} and changed_at <= ${asOf}::timestamptz
      and from_day <= ${to}::date and to_day >= ${from}::date
      ${repId === null ? sql`` : sql`and rep_id = ${repId}`}
    order by rep_id, period`.execute(tx.db);
  return rows;
}

const ofKeys = (keys: readonly StatementKey[]) => sql`
  (select * from unnest(${keys.map(({ repId }) => repId)}::uuid[], ${keys.map(({ period }) => period)}::text[])
    as k (rep_id, period))`;

export async function listStatements(
  tx: Transaction,
  keys: readonly StatementKey[],
  asOf: Date,
): Promise<EvidenceStatement[]> {
  const { rows } = await sql<EvidenceStatement>`
    with states as (
      select distinct on (h.rep_id, h.period) h.* from statement_period_history h join ${ofKeys(keys)} k using (rep_id, period)
      where h.workspace_id = ${tx.workspaceId} and h.changed_at <= ${asOf}::timestamptz
      order by h.rep_id, h.period, h.position desc)
    select s.rep_id as "repId", s.period, s.version, s.version = h.current_version as "isCurrent",
      case when s.version = h.current_version then h.status end as status,
      case when s.version = h.current_version and h.status = 'approved' then h.approved_at end as "approvedAt",
      s.statement_id as "statementId", s.generated_at as "generatedAt", s.generated_by as "generatedBy", s.currency,
      s.summary, s.other_currencies as "otherCurrencies", s.payable, s.content_hash as "contentHash", s.line_items as lines
    from states h
    join statements s on s.workspace_id = h.workspace_id and s.rep_id = h.rep_id and s.period = h.period
      and s.generated_at <= ${asOf}::timestamptz
    where s.version = h.current_version or exists (
      select from statement_signatures g
      where g.workspace_id = s.workspace_id and g.rep_id = s.rep_id and g.period = s.period and g.version = s.version
        and g.signed_at <= ${asOf}::timestamptz)
    order by s.rep_id, s.period, s.version`.execute(tx.db);
  return rows;
}

/** The states of the periods one after the other: drafts, approvals, and periods that were opened again. */
export async function listStates(tx: Transaction, keys: readonly StatementKey[], asOf: Date) {
  const { rows } = await sql`
    select h.rep_id as "repId", h.period, h.changed_at as "changedAt", h.status, h.current_version as version,
      h.approved_at as "approvedAt", h.approver, trim_scale(h.approved_total)::text as "approvedTotal", h.currency
    from statement_period_history h join ${ofKeys(keys)} k using (rep_id, period)
    where h.workspace_id = ${tx.workspaceId} and h.changed_at <= ${asOf}::timestamptz
    order by h.rep_id, h.period, h.position`.execute(tx.db);
  return rows;
}

export async function listSignatures(tx: Transaction, keys: readonly StatementKey[], asOf: Date) {
  const { rows } = await sql`
    select g.signature_id as "signatureId", g.rep_id as "repId", g.period, g.step, g.version,
      g.content_hash as "contentHash", g.signer_id as "signerId", g.on_behalf_of as "onBehalfOf", g.signed_at as "signedAt",
      case when g.ended_at <= ${asOf}::timestamptz then g.ended_at end as "endedAt",
      case when g.ended_at <= ${asOf}::timestamptz then g.ended_by end as "endedBy"
    from statement_signatures g join ${ofKeys(keys)} k using (rep_id, period)
    where g.workspace_id = ${tx.workspaceId} and g.signed_at <= ${asOf}::timestamptz
    order by g.rep_id, g.period, g.position`.execute(tx.db);
  return rows;
}

/** The signers whom admins have named instead of those of the chain. */
export async function listReassignments(tx: Transaction, keys: readonly StatementKey[], asOf: Date) {
  const { rows } = await sql`
    select a.rep_id as "repId", a.period, a.step, a.signer_ids as "signerIds", a.reason, a.actor,
      a.assigned_at as "assignedAt"
    from step_assignments a join ${ofKeys(keys)} k using (rep_id, period)
    where a.workspace_id = ${tx.workspaceId} and a.assigned_at <= ${asOf}::timestamptz
    order by a.rep_id, a.period, a.step, a.position`.execute(tx.db);
  return rows;
}

/** Everything that happened to the adjustments of the range. */
export async function listAdjustments(tx: Transaction, { from, to, asOf }: EvidenceScope) {
  const { rows } = await sql`
    select event_id as "eventId", revision, rep_id as "repId", change, changed_at as "changedAt", kind, status, deal_key as "dealKey",
      trim_scale(amount)::text as amount, currency, earned_on as "earnedOn", reason, actor
    from commission_event_history
    where workspace_id = ${tx.workspaceId} and kind <> 'commission_earned' and changed_at <= ${asOf}::timestamptz
      and earned_on between ${from}::date and ${to}::date
    order by rep_id, event_id, revision`.execute(tx.db);
  return rows;
}

/** Adjustments above a limit, with who has proposed and decided them, in the range of instants. */
export async function listProposals(tx: Transaction, { begin, asOf }: EvidenceScope) {
  const { rows } = await sql`
    select adjustment_id as "adjustmentId", rep_id as "repId", period, kind, trim_scale(amount)::text as amount, currency,
      deal_id as "dealId", reason, deciders, proposer_ids as "proposerIds", actor, proposed_at as "proposedAt",
      case when decided_at <= ${asOf}::timestamptz then status else 'proposed' end as status,
      case when decided_at <= ${asOf}::timestamptz then decided_by end as "decidedBy",
      case when decided_at <= ${asOf}::timestamptz then decided_at end as "decidedAt",
      case when decided_at <= ${asOf}::timestamptz then decision_reason end as "decisionReason"
    from adjustment_proposals
    where workspace_id = ${tx.workspaceId} and proposed_at between ${begin}::timestamptz and ${asOf}::timestamptz
    order by proposed_at, adjustment_id`.execute(tx.db);
  return rows;
}

/** What approved periods were found to differ by, and what became of it before the instant. */
export async function listDiscrepancies(tx: Transaction, { begin, asOf }: EvidenceScope) {
  const { rows } = await sql`
    select discrepancy_id as "discrepancyId", rep_id as "repId", period, currency, since,
      case when d.is_decided then trim_scale(delta)::text end as delta, case when d.is_decided then action end as action,
      case when d.is_decided then reason end as reason, case when d.is_decided then resolved_by end as "resolvedBy",
      case when d.is_decided then resolved_at end as "resolvedAt"
    from (select *, resolved_at <= ${asOf}::timestamptz as is_decided from discrepancies) d
    where workspace_id = ${tx.workspaceId} and since between ${begin}::timestamptz and ${asOf}::timestamptz
    order by since, discrepancy_id`.execute(tx.db);
  return rows;
}

/** What people and keys did to statements, plans and rights, with their reasons. */
export async function listActions(tx: Transaction, { begin, asOf }: EvidenceScope) {
  const { rows } = await sql`
    select run_id as "runId", started_at as at, actor, trigger, scope, rep_id as "repId", period, deal_id as "dealId",
      details
    from audit_runs
    where workspace_id = ${tx.workspaceId} and actor <> 'orchestrator'
      and started_at between ${begin}::timestamptz and ${asOf}::timestamptz
    order by started_at, run_id`.execute(tx.db);
  return rows;
}

/** The deals as they were at the instant, by id. */
export async function listSourceRows(tx: Transaction, dealIds: readonly string[], asOf: Date) {
  const { rows } = await sql<{ dealId: string }>`
    select distinct on (deal_id) deal_id as "dealId", taken_at as "takenAt", source_updated_at as "sourceUpdatedAt", provider,
      fields, given, deleted
    from deal_versions
    where workspace_id = ${tx.workspaceId} and deal_id = any(${dealIds}::text[]) and taken_at <= ${asOf}::timestamptz
    order by deal_id, snapshot_id desc nulls first`.execute(tx.db);
  return new Map(rows.map((row) => [row.dealId, row]));
}
