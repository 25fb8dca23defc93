import { z } from 'zod';
import { Decimal, sum } from '../kernel/decimal.js';

const group = z
  .object({
    deals: z.int().describe('Number of deals'),
    commission: z.number().describe('Cost of their lots'),
    contractValue: z.number().describe('Sum of the values of their contracts'),
    percent: z.number().nullable().describe('Commission in percent of the value; null without a value'),
  })
  .describe('Deals whose rows were earned in the twelve months');

export const renewalTest = z
  .object({
    policy: z.string().describe('Name of the policy'),
    newBusiness: group,
    renewals: group.describe('Deals whose contract renews another one'),
    ratio: z
      .number()
      .nullable()
      .describe('The percentage of renewals divided by that of new business, to 3 decimals; null if one is not known'),
    withoutValue: z.int().describe('Deals that are left out, since no value of their contract is stated'),
  })
  .describe('Whether commission on renewals is commensurate with that on new business');

/** What the test reads of a lot. */
export interface RenewalLot {
  readonly policy: string;
  readonly dealId: string;
  readonly cost: Decimal;
}

/** What it reads of a contract. */
interface RenewalContract {
  readonly renewalOf: string | null;
  readonly value: number | null;
}

/** Commission in percent of the contract value, of new business and of renewals, by policy. */
export function compareRenewals(
  lots: readonly RenewalLot[],
  contracts: ReadonlyMap<string, RenewalContract>,
): z.input<typeof renewalTest>[] {
  const names = [...new Set(lots.map(({ policy }) => policy))].sort();
  return names.map((policy) => {
    const own = lots.filter((lot) => lot.policy === policy);
    const dealsWhere = (isIn: (contract: RenewalContract | undefined) => boolean) =>
      own.filter(({ dealId }) => isIn(contracts.get(dealId)));
    const hasValue = (contract: RenewalContract | undefined) => typeof contract?.value === 'number';
    const renewals = dealsWhere((contract) => hasValue(contract) && contract?.renewalOf !== null);
    const newBusiness = dealsWhere((contract) => hasValue(contract) && contract?.renewalOf === null);
    const [ofNew, ofRenewals] = [newBusiness, renewals].map((some) => addUp(some, contracts)) as [Sums, Sums];
    const ratio =
      ofNew.share === null || ofRenewals.share === null || ofNew.share.isZero()
        ? null
        : ofRenewals.share.dividedBy(ofNew.share).rounded(3).toNumber();
    return {
      policy,
      newBusiness: toGroup(ofNew),
      renewals: toGroup(ofRenewals),
      ratio,
      withoutValue: new Set(dealsWhere((contract) => !hasValue(contract)).map(({ dealId }) => dealId)).size,
    };
  });
}

interface Sums {
  readonly deals: number;
  readonly commission: Decimal;
  readonly value: Decimal;
  /** Commission divided by value; null without a value. */
  readonly share: Decimal | null;
}

function addUp(lots: readonly RenewalLot[], contracts: ReadonlyMap<string, RenewalContract>): Sums {
  const dealIds = new Set(lots.map(({ dealId }) => dealId));
  const commission = sum(lots.map(({ cost }) => cost));
  const value = sum([...dealIds].map((dealId) => Decimal.of(contracts.get(dealId)?.value ?? 0)));
  return { deals: dealIds.size, commission, value, share: value.isZero() ? null : commission.dividedBy(value) };
}

function toGroup({ deals, commission, value, share }: Sums): z.input<typeof group> {
  const percent = share === null ? null : share.times(Decimal.of(100)).rounded(2).toNumber();
  return { deals, commission: commission.toNumber(), contractValue: value.toNumber(), percent };
}
