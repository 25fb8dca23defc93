import { sql } from 'kysely';
import { Decimal } from '../../kernel/decimal.js';
import { groupBy } from '../../kernel/group-by.js';
import { newId } from '../../kernel/ids.js';
import { type Period } from '../../kernel/period.js';
import { type Transaction } from '../../platform/database/unit-of-work.js';
import { type Snapshot } from '../snapshot.js';
import { type SignatureEnd } from './approval-tables.js';
import { changeOfTotal, mayCarry } from './content-change.js';

/** A signature with the names of today. */
export interface Signature {
  readonly signatureId: string;
  readonly repId: string;
  readonly step: string;
  readonly version: number;
  readonly contentHash: string;
  /** Null if the rep did not answer in time. */
  readonly signerId: string | null;
  readonly signer: string | null;
  /** The person whose delegate the signer was. */
  readonly onBehalfOf: { readonly repId: string; readonly name: string } | null;
  readonly signedAt: Date;
  readonly carriedAmount: string | null;
  readonly endedAt: Date | null;
  readonly endedBy: SignatureEnd | null;
}

/** The steps of the workspace; null while one person approves. */
export async function loadSteps(tx: Transaction) {
  const { approval_steps: steps } = await tx.db
    .selectFrom('workspaces')
    .select('approval_steps')
    .where('workspace_id', '=', tx.workspaceId)
    .executeTakeFirstOrThrow();
  return steps;
}

/** The signatures of the statements of the period, also those that count no longer, in the order in which they were given. */
export async function listSignatures(
  tx: Transaction,
  period: Period,
  repIds: readonly string[] | null,
): Promise<ReadonlyMap<string, readonly Signature[]>> {
  const endedAt = sql`case when s.ended_at <= ${tx.until}::timestamptz then s.ended_at end`;
  const { rows } = await sql<Signature>`
    select s.signature_id as "signatureId", s.rep_id as "repId", s.step, s.version, s.content_hash as "contentHash",
      s.signer_id as "signerId", p.name as signer, s.signed_at as "signedAt", s.carried_amount::text as "carriedAmount",
      case when b.rep_id is not null then json_build_object('repId', b.rep_id, 'name', b.name) end as "onBehalfOf",
      ${endedAt} as "endedAt", case when ${endedAt} is not null then s.ended_by end as "endedBy"
    from statement_signatures s
    left join reps p on p.workspace_id = s.workspace_id and p.rep_id = s.signer_id
    left join reps b on b.workspace_id = s.workspace_id and b.rep_id = s.on_behalf_of
    where s.workspace_id = ${tx.workspaceId} and s.period = ${period}
      ${repIds === null ? sql`` : sql`and s.rep_id = any(${repIds}::uuid[])`}
      and s.signed_at <= ${tx.until}::timestamptz
    order by s.position`.execute(tx.db);
  return groupBy(rows, ({ repId }) => repId);
}

interface NewSignature {
  readonly repId: string;
  readonly period: Period;
  readonly step: string;
  readonly version: number;
  readonly contentHash: string;
  readonly signerId: string | null;
  readonly onBehalfOf: string | null;
  readonly at: Date;
}

/** The caller holds the rep's lane. */
export async function insertSignature(tx: Transaction, signature: NewSignature): Promise<void> {
  await tx.db
    .insertInto('statement_signatures')
    .values({
      workspace_id: tx.workspaceId,
      signature_id: newId(),
      rep_id: signature.repId,
      period: signature.period,
      step: signature.step,
      version: signature.version,
      content_hash: signature.contentHash,
      signer_id: signature.signerId,
      on_behalf_of: signature.onBehalfOf,
      signed_at: signature.at,
      carried_amount: null,
      ended_at: null,
      ended_by: null,
    })
    .execute();
  tx.markAffected([signature.repId]);
}

/** Ends signatures that count. They stay in the history. */
export async function endSignatures(
  tx: Transaction,
  signatures: readonly Pick<Signature, 'signatureId' | 'repId'>[],
  endedBy: SignatureEnd,
  at: Date,
): Promise<void> {
  if (signatures.length === 0) return;
  await sql`
    update statement_signatures set ended_at = ${at}::timestamptz, ended_by = ${endedBy}
    where workspace_id = ${tx.workspaceId} and signature_id = any(${signatures.map(({ signatureId }) => signatureId)}::uuid[])`.execute(
    tx.db,
  );
  tx.markAffected(signatures.map(({ repId }) => repId));
}

/** The signatures of a statement that count, in the order in which they were given. */
export async function listCounting(tx: Transaction, period: Period, repId: string): Promise<readonly Signature[]> {
  const signatures = (await listSignatures(tx, period, [repId])).get(repId) ?? [];
  return signatures.filter(({ endedAt }) => endedAt === null);
}

/** Ends the signatures on drafts of steps that the chain no longer has. */
export async function endRemovedSteps(tx: Transaction, names: readonly string[], at: Date): Promise<void> {
  await sql`
    update statement_signatures s set ended_at = ${at}::timestamptz, ended_by = 'chain_changed'
    from statement_periods h
    where s.workspace_id = ${tx.workspaceId} and s.ended_at is null and s.step <> all(${names}::text[])
      and h.workspace_id = s.workspace_id and h.rep_id = s.rep_id and h.period = s.period and h.status = 'draft'`.execute(
    tx.db,
  );
}

/** A new version of a draft. */
type NewVersion = Snapshot & { readonly repId: string; readonly version: number; readonly contentHash: string };

/**
 * Ends the signatures of drafts whose new version has another content, or carries them if the step allows it. The caller
 * holds the lanes of the reps.
 */
export async function settleSignatures(
  tx: Transaction,
  period: Period,
  versions: readonly NewVersion[],
  at: Date,
): Promise<void> {
  const steps = await loadSteps(tx);
  if (steps === null) return;
  const latest = new Map(versions.map((version) => [version.repId, version]));
  const all = [...(await listSignatures(tx, period, [...latest.keys()])).values()].flat();
  const counting = all.filter(({ endedAt }) => endedAt === null);
  const differing = counting.filter(({ repId, contentHash }) => latest.get(repId)?.contentHash !== contentHash);
  const contents = await loadContents(tx, period, [
    ...differing,
    ...differing.flatMap(({ repId }) => latest.get(repId) ?? []),
  ]);
  const ended: Signature[] = [];
  for (const signature of counting) {
    const { repId } = signature;
    const now = latest.get(repId) as NewVersion;
    const before = contents.get(`${repId} ${signature.version}`);
    const after = contents.get(`${repId} ${now.version}`);
    const limit = steps.find(({ name }) => name === signature.step)?.minChange ?? 0;
    if (signature.contentHash === now.contentHash) await carrySignature(tx, signature, null);
    else if (before && after && signature.signerId !== null && mayCarry(before, after, limit))
      await carrySignature(tx, signature, changeOfTotal(before, after));
    else ended.push(signature);
  }
  await endSignatures(tx, ended, 'changed', at);
}

async function carrySignature(tx: Transaction, { signatureId }: Signature, amount: Decimal | null): Promise<void> {
  await tx.db
    .updateTable('statement_signatures')
    .set({ carried_amount: amount === null ? null : amount.toString() })
    .where('workspace_id', '=', tx.workspaceId)
    .where('signature_id', '=', signatureId)
    .execute();
}

/** The content of the versions as it is stored, by rep and version. */
async function loadContents(
  tx: Transaction,
  period: Period,
  versions: readonly Pick<Signature, 'repId' | 'version'>[],
): Promise<ReadonlyMap<string, Pick<Snapshot, 'summary' | 'otherCurrencies' | 'lines' | 'payable'>>> {
  if (versions.length === 0) return new Map();
  const { rows } = await sql<{
    repId: string;
    version: number;
    summary: Snapshot['summary'];
    otherCurrencies: Snapshot['otherCurrencies'];
    lines: Snapshot['lines'];
    payable: Snapshot['payable'] | null;
  }>`
    select s.rep_id as "repId", s.version, s.summary, s.other_currencies as "otherCurrencies", s.line_items as lines,
      s.payable
    from statements s
    join (select distinct rep_id, version
      from unnest(${versions.map(({ repId }) => repId)}::uuid[], ${versions.map(({ version }) => version)}::int[])
        as v (rep_id, version)) v using (rep_id, version)
    where s.workspace_id = ${tx.workspaceId} and s.period = ${period}`.execute(tx.db);
  return new Map(
    rows.map(({ repId, version, payable, ...content }) => [
      `${repId} ${version}`,
      payable === null ? content : { ...content, payable: payable as NonNullable<Snapshot['payable']> },
    ]),
  );
}
