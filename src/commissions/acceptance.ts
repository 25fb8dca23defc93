import { sql } from 'kysely';
import { z } from 'zod';
import { readActorNames } from '../people/reps/actor-names.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type Exception } from './exceptions.js';

/** How an admin accepted an exception as expected. */
export const acceptance = z
  .object({
    acceptanceId: z.string().describe('Id of the acceptance (UUID)'),
    scope: z.enum(['deal', 'rule']).describe('Whether this deal was accepted, or every deal of the rule'),
    note: z.string().describe('Why the deal is expected to pay nothing'),
    acceptedBy: z.string().describe('Who accepted it'),
    acceptedByName: z.string().nullable().describe('Name of who accepted it; null for a command'),
    acceptedAt: z.string().describe('When it was accepted, instant in ISO 8601'),
  })
  .describe('Who expects that the deal pays nothing, and why');
type Acceptance = z.infer<typeof acceptance>;

interface AcceptanceRow {
  readonly acceptanceId: string;
  readonly reason: string;
  readonly dealId: string | null;
  readonly planId: string | null;
  readonly ruleName: string | null;
  readonly note: string;
  readonly acceptedBy: string;
  readonly acceptedAt: Date;
}

/** The exceptions that an admin accepted as expected. */
export class Acceptances {
  private readonly bySubject: ReadonlyMap<string, Acceptance>;

  constructor(rows: readonly AcceptanceRow[], names: ReadonlyMap<string, string>) {
    this.bySubject = new Map(
      rows.map((row) => [
        row.dealId === null
          ? subjectOfRule(row.reason, row.planId, row.ruleName)
          : subjectOfDeal(row.reason, row.dealId),
        {
          acceptanceId: row.acceptanceId,
          scope: row.dealId === null ? 'rule' : 'deal',
          note: row.note,
          acceptedBy: row.acceptedBy,
          acceptedByName: names.get(row.acceptedBy) ?? null,
          acceptedAt: row.acceptedAt.toISOString(),
        },
      ]),
    );
  }

  /** The acceptance of the deal, or of each of the rules that paid nothing; undefined if the exception is open. */
  find({ reason, dealId, rules }: Pick<Exception, 'reason' | 'dealId' | 'rules'>): Acceptance | undefined {
    const ofRules = rules.map(({ planId, ruleName }) => this.bySubject.get(subjectOfRule(reason, planId, ruleName)));
    const ofEveryRule = ofRules.includes(undefined) ? undefined : ofRules[0];
    return this.bySubject.get(subjectOfDeal(reason, dealId)) ?? ofEveryRule;
  }
}

function subjectOfDeal(reason: string, dealId: string): string {
  return JSON.stringify([reason, dealId]);
}

function subjectOfRule(reason: string, planId: string | null, ruleName: string | null): string {
  return JSON.stringify([reason, planId, ruleName]);
}

export async function loadAcceptances(tx: Transaction): Promise<Acceptances> {
  const { rows } = await sql<AcceptanceRow>`
    select acceptance_id as "acceptanceId", reason, deal_id as "dealId", plan_id as "planId", rule_name as "ruleName",
      note, accepted_by as "acceptedBy", accepted_at as "acceptedAt"
    from accepted_exceptions where workspace_id = ${tx.workspaceId}`.execute(tx.db);
  const names = await readActorNames(
    tx,
    rows.map(({ acceptedBy }) => acceptedBy),
  );
  return new Acceptances(rows, names);
}
