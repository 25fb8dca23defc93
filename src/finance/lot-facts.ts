import { sql } from 'kysely';
import { toFact } from '../deals/refunds/refund.js';
import { listRefunds } from '../deals/refunds/refund-views.js';
import { resolveLineRefunds } from '../deals/refunds/refunded-lines.js';
import { measureRefunds } from '../engine/refund-chain.js';
import { Decimal } from '../kernel/decimal.js';
import { groupBy } from '../kernel/group-by.js';
import { frozenKey, loadFrozenAmounts } from '../pay/payables/pay-facts.js';
import { type PayableRow } from '../pay/payables/payable-rows.js';
import { type Transaction } from '../platform/database/unit-of-work.js';
import { type ClosedLotsOf, loadClosedLots } from './closed-lots.js';
import { type Contract } from './contract.js';
import { contractFacts } from './contract-facts.js';
import { type EndedPart } from './lot.js';

/** What decides about lots besides their rows and policies. */
export interface LotFacts {
  /** When parts of the deal of a row end. */
  readonly findEnds: (row: Pick<PayableRow, 'repId' | 'dealKey' | 'frozen'>) => readonly EndedPart[];
  /** By deal. */
  readonly contracts: ReadonlyMap<string, Contract>;
  readonly closedLots: ClosedLotsOf;
}

/** Without policies there are no lots. */
export const noLotFacts: LotFacts = {
  findEnds: () => [],
  contracts: new Map(),
  closedLots: () => [],
};

export async function loadLotFacts(
  tx: Transaction,
  repIds: readonly string[],
  dealIds: readonly string[],
): Promise<LotFacts> {
  const contracts = await contractFacts.list(tx, { dealId: dealIds });
  return {
    findEnds: await loadEnds(tx, dealIds),
    contracts: new Map(contracts.map((contract) => [contract.dealId, contract])),
    closedLots: await loadClosedLots(tx, repIds),
  };
}

/** The refunds of the deals, which end their share of a lot. */
async function loadEnds(tx: Transaction, dealIds: readonly string[]): Promise<LotFacts['findEnds']> {
  const refunds = groupBy(await listRefunds(tx, dealIds), ({ dealId }) => dealId);
  if (refunds.size === 0) return () => [];
  const facts = await resolveLineRefunds(
    tx,
    new Map([...refunds].map(([dealId, ofDeal]) => [dealId, ofDeal.map(toFact)])),
  );
  const amounts = await sql<{ dealId: string; amount: string | null }>`
    select deal_id as "dealId", amount::text as amount from deals
    where workspace_id = ${tx.workspaceId} and deal_id = any(${[...refunds.keys()]}::text[])`.execute(tx.db);
  const present = new Map(amounts.rows.map(({ dealId, amount }) => [dealId, amount]));
  const frozen = await loadFrozenAmounts(tx, [...refunds.keys()]);
  return ({ repId, dealKey, frozen: period }) => {
    const dealId = dealKey ?? '';
    const approved = period === null ? undefined : frozen.get(frozenKey(repId, period.period, dealId));
    const amount = approved === undefined ? (present.get(dealId) ?? null) : approved;
    return measureRefunds(facts.get(dealId) ?? [], amount === null ? null : Decimal.of(amount)).map(
      ({ refund, refunded, of }) => ({ day: refund.day, ended: refunded, of }),
    );
  };
}
