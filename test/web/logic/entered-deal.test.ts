import { expect } from 'chai';
import { findDealId } from '#web/features/disputes/entered-deal.js';

describe('the deal of a question', () => {
  const deals = [
    { deal_id: 'D-1', name: 'Łódź Media' },
    { deal_id: 'D-2', name: 'Harbour Labs' },
    { deal_id: 'D-3', name: 'Harbour Labs' },
    { deal_id: 'D-4', name: null },
  ];

  for (const [entered, dealId] of [
    [' D-2 ', 'D-2'],
    ['lodz media', 'D-1'],
    ['Harbour Labs', 'Harbour Labs'],
    ['CRM-77', 'CRM-77'],
    [' ', ''],
  ] as const)
    it(`entered as "${entered}" is "${dealId}"`, () => {
      expect(findDealId(entered, deals)).to.equal(dealId);
    });
});
