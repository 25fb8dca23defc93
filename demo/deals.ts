import { addDays, type Day } from '#src/kernel/day.js';
import { accountManagers, developers, sellers } from './people.js';

interface DemoDeal {
  readonly dealId: string;
  readonly name: string;
  readonly stage: string;
  readonly closeDate: Day;
  readonly createdDate: Day;
  readonly ownerId: string;
  readonly amount: number;
  readonly currency: string;
  readonly fields: {
    readonly deal_type: string;
    readonly contract_years: number;
    readonly meetings: number;
    readonly region: string;
  };
}

const customers = [
  'Aldgate',
  'Birchwood',
  'Corvid',
  'Dunmore',
  'Eastlight',
  'Fernhill',
  'Granite',
  'Harbour',
  'Ironwood',
  'Juniper',
  'Kestrel',
  'Larkspur',
  'Meridian',
  'Northgate',
  'Oakhurst',
  'Pinecrest',
];
const suffixes = ['Labs', 'Logistics', 'Energy', 'Foods', 'Health', 'Media', 'Robotics', 'Supply'];
const daysBack = 365;

/** A year of deals up to the day, deterministic for a day: won, lost and open ones, renewals and meetings. */
export function demoDeals(today: Day): DemoDeal[] {
  const random = seeded(20261121);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const deals: DemoDeal[] = [];
  const add = (owner: string, type: string, amount: number, closeInDays: number, stage: string) => {
    const closeDate = addDays(today, closeInDays);
    deals.push({
      dealId: `D-${String(deals.length + 1).padStart(4, '0')}`,
      name: `${pick(customers)} ${pick(suffixes)}`,
      stage,
      closeDate,
      createdDate: addDays(closeDate, -Math.ceil(random() * 90)),
      ownerId: owner,
      amount,
      currency: 'USD',
      fields: {
        deal_type: type,
        contract_years: random() < 0.3 ? 3 : 1,
        meetings: type === 'Meeting' ? 1 : 0,
        region: pick(['EMEA', 'AMER', 'APAC']),
      },
    });
  };
  const past = () => -Math.floor(random() * daysBack);
  const outcome = (chance: number) => (random() < chance ? 'Closed Won' : 'Closed Lost');
  for (const owner of sellers) {
    for (let count = 0; count < 36; count += 1)
      add(owner, 'New', rounded(8_000 + random() ** 2 * 92_000), past(), outcome(0.7));
    for (let count = 0; count < 4; count += 1)
      add(
        owner,
        'New',
        rounded(10_000 + random() * 60_000),
        5 + Math.floor(random() * 80),
        pick(['Discovery', 'Proposal', 'Negotiation']),
      );
  }
  for (const owner of accountManagers) {
    for (let count = 0; count < 40; count += 1)
      add(owner, 'Renewal', rounded(5_000 + random() * 35_000), past(), outcome(0.85));
  }
  for (const owner of developers) {
    for (let count = 0; count < 90; count += 1) add(owner, 'Meeting', 0, past(), outcome(0.8));
  }
  return deals;
}

function rounded(amount: number): number {
  return Math.round(amount * 100) / 100;
}

/** A pseudo-random generator of numbers from 0 to 1 with a fixed sequence for each seed. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
