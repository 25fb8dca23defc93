import { expect } from 'chai';
import { debtorsQuery } from '#web/api/finance-queries.js';
import { queryClient } from '#web/app/query-client.js';
import { enteredDebt } from '#web/features/finance/entered-debt.js';

describe('a debt to write off', () => {
  const owes = (repId: string, receivable: number) => ({ repId, currency: 'USD', receivable });

  it('is entered with what this person owes, also after the choice of another', () => {
    expect({ ...enteredDebt(owes('ann', 900)), ...enteredDebt(owes('ben', 40.5)) }).to.deep.equal({
      debtor: 'ben USD',
      amount: '40.5',
    });
  });

  describe('is one of everyone', () => {
    const original = globalThis.fetch;
    afterEach(() => {
      globalThis.fetch = original;
      queryClient.clear();
    });

    it('who owes, beyond the first thousand people of the month', async () => {
      const people = Array.from({ length: 1002 }, (_, index) => owes(`${index}`, index < 1000 ? 0 : index));
      globalThis.fetch = async (input) => {
        const { searchParams } = new URL(String(input instanceof Request ? input.url : input), 'http://localhost');
        const offset = Number(searchParams.get('offset') ?? 0);
        const liability = people.slice(offset, offset + Number(searchParams.get('limit')));
        return Response.json({ liability });
      };
      const debtors = await queryClient.fetchQuery(debtorsQuery('2026-01', 'main'));
      expect(debtors.map(({ repId }) => repId)).to.deep.equal(['1000', '1001']);
    });
  });
});
