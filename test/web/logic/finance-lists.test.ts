import { type QueryOptions } from '@tanstack/react-query';
import { expect } from 'chai';
import {
  allContractCostsQuery,
  contractCostsQuery,
  costsOnPage,
  debtorsQuery,
  linesOfPersonQuery,
} from '#web/api/finance-queries.js';
import { queryClient } from '#web/app/query-client.js';
import { enteredDebt } from '#web/features/finance/entered-debt.js';

const owes = (repId: string, receivable: number) => ({ repId, currency: 'USD', receivable });

describe('a debt to write off', () => {
  it('is entered with what this person owes, also after the choice of another', () => {
    expect({ ...enteredDebt(owes('ann', 900)), ...enteredDebt(owes('ben', 40.5)) }).to.deep.equal({
      debtor: 'ben USD',
      amount: '40.5',
    });
  });
});

describe('the lists of the books', () => {
  const original = globalThis.fetch;
  const rows = Array.from({ length: 1002 }, (_, index) => owes(`${index}`, index < 1000 ? 0 : index));

  /** What is loaded of a list of 1,002 rows. */
  async function load(query: object) {
    globalThis.fetch = async (input) => {
      const { searchParams } = new URL(String(input instanceof Request ? input.url : input), 'http://localhost');
      const offset = Number(searchParams.get('offset') ?? 0);
      const page = rows.slice(offset, offset + Number(searchParams.get('limit')));
      return Response.json({ liability: page, lines: page, contractCosts: page, count: rows.length });
    };
    return queryClient.fetchQuery(query as QueryOptions as never);
  }

  afterEach(() => {
    globalThis.fetch = original;
    queryClient.clear();
  });

  it('have everyone who owes, beyond the first thousand people of the month', async () => {
    expect(await load(debtorsQuery('2026-01', 'main'))).to.deep.equal(rows.slice(1000));
  });

  it('have each line of a person, and the cost of each deal of a company', async () => {
    expect(await load(linesOfPersonQuery('2026-01', 'main', 'ann'))).to.deep.equal(rows);
    expect(await load(allContractCostsQuery('2026-01', 'main'))).to.deep.equal(rows);
  });

  it('have a page of the cost by deal, and how many rows there are', async () => {
    const last = Math.floor(rows.length / costsOnPage);
    expect(await load(contractCostsQuery('2026-01', 'main', 'deal', last))).to.deep.include({
      contractCosts: rows.slice(last * costsOnPage),
      count: 1002,
    });
  });
});
