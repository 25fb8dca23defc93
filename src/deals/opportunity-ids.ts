import { sql } from 'kysely';
import { idLengths } from '../kernel/opportunity-id.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type TableRow } from '../platform/files/csv-table.js';

/** The rows of a file about deals, with the ids that the deals are stored under. */
export async function withStoredDealIds<Name extends string>(
  tx: Transaction,
  rows: readonly TableRow<Name | 'dealId'>[],
): Promise<readonly TableRow<Name | 'dealId'>[]> {
  const idOf = ({ cells }: TableRow<'dealId'>) => cells.dealId ?? '';
  const { completed } = await new OpportunityIds(tx).complete(rows.map(idOf));
  return rows.map((row) => {
    const dealId = completed.get(idOf(row));
    return dealId === undefined ? row : { ...row, cells: { ...row.cells, dealId } };
  });
}

/**
 * Salesforce writes the id of an Opportunity with 15 characters in reports and with 18 in its API. Both are one deal: the
 * one that is stored, otherwise the long one, once Salesforce is connected or a long id is stored.
 */
export class OpportunityIds {
  private isKnown: boolean | undefined;

  constructor(private readonly tx: Transaction) {}

  /** The ids that are stored in another length, by the given id. `unknown` are short ids of no known Salesforce. */
  async complete(
    dealIds: readonly string[],
  ): Promise<{ readonly completed: ReadonlyMap<string, string>; readonly unknown: ReadonlySet<string> }> {
    const completed = new Map<string, string>();
    const unknown = new Set<string>();
    const ids = dealIds.flatMap((dealId) => {
      const lengths = idLengths(dealId);
      return lengths === null ? [] : [{ dealId, ...lengths }];
    });
    if (ids.length === 0) return { completed, unknown };
    const stored = await this.findStored(ids.flatMap(({ short, long }) => [short, long]));
    for (const { dealId, short, long } of ids) {
      const known = [long, short].find((id) => stored.has(id));
      const found = known ?? (dealId === long || (await this.knowsSalesforce()) ? long : null);
      if (found === null) unknown.add(dealId);
      else if (found !== dealId) completed.set(dealId, found);
    }
    return { completed, unknown };
  }

  private async findStored(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await sql<{ dealId: string }>`
      select deal_id as "dealId" from deals
      where workspace_id = ${this.tx.workspaceId} and deal_id = any(${ids}::text[])`.execute(this.tx.db);
    return new Set(rows.map(({ dealId }) => dealId));
  }

  private async knowsSalesforce(): Promise<boolean> {
    this.isKnown ??= await this.findSalesforce();
    return this.isKnown;
  }

  private async findSalesforce(): Promise<boolean> {
    const { rows } = await sql<{ isKnown: boolean }>`
      select exists (select from crm_connections where workspace_id = ${this.tx.workspaceId} and provider = 'crmc')
        or exists (select from deals where workspace_id = ${this.tx.workspaceId}
          and deal_id ~ '^006[A-Za-z0-9]{15}$') as "isKnown"`.execute(this.tx.db);
    return rows[0]?.isKnown === true;
  }
}
