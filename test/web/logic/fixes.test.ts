import { expect } from 'chai';
import { reasonTexts } from '#src/client.js';
import { exceptionReasons } from '#src/commissions/exceptions.js';
import { editedDeal, withInput } from '#web/features/deals/edited-deal.js';
import { type Fix, fixOf, fixOfGroup } from '#web/features/exceptions/fixes.js';

const deal = {
  dealId: 'D/1',
  repId: 'ann',
  closeDate: '2026-10-05',
  currency: 'EUR',
  missing: ['seats'],
  rules: [{ planId: 'p1', planName: 'AE', ruleId: 'r1', ruleName: 'New business' }],
};
const place = { period: '2026-10', currency: 'USD' };
const addressOf = ({ to, search = {} }: Fix) => `${to}?${decodeURIComponent(new URLSearchParams(search).toString())}`;

/** What each reason opens for a deal. */
const addresses: Readonly<Record<(typeof exceptionReasons)[number], string>> = {
  owner_unresolved: '/deals/D%2F1?edit=repId',
  no_close_date: '/deals/D%2F1?edit=closeDate',
  no_assignment: '/assignments?assign=ann',
  plan_not_active: '/plans/p1/edit?',
  outside_effective_dates: '/assignments?assign=ann&plan=p1',
  outside_rule_dates: '/plans/p1/edit?rule=New+business',
  no_fiscal_period: '/fiscal-calendar?',
  statement_locked: '/statements/ann?period=2026-10',
  quota_missing: '/quotas?ruleId=r1&person=ann&day=2026-10-05&year=2026',
  variable_target_missing: '/quotas?ruleId=r1&person=ann&day=2026-10-05&year=2026',
  currency_mismatch: '/deals/D%2F1?edit=currency',
  fx_rate_missing: '/fx-rates?enter=EUR+USD+2026-10-05',
  value_out_of_range: '/deals/D%2F1?edit=field+seats',
  field_missing: '/deals/D%2F1?edit=field+seats',
  amount_out_of_range: '/plans/p1/edit?rule=New+business',
  deal_condition_failed: '/plans/p1/edit?rule=New+business',
  rule_condition_failed: '/plans/p1/edit?rule=New+business',
  below_lowest_tier: '/plans/p1/edit?rule=New+business',
  below_floor_attainment: '/plans/p1/edit?rule=New+business',
  cap_exhausted: '/plans/p1/edit?rule=New+business',
  split_rules_exceed_100: '/credit-rules?',
  refund_without_policy: '/deals/D%2F1?',
  no_lines: '/deals/D%2F1?',
  lines_differ: '/deals/D%2F1?',
  line_field_missing: '/deals/D%2F1?',
  refund_line_missing: '/deals/D%2F1?',
  rate_not_found: '/plans/p1/edit?rule=New+business',
};

describe('the fix of an exception', () => {
  it('opens what removes the reason, for every reason', () => {
    for (const reason of exceptionReasons) {
      const fix = fixOf(reason, deal, place);
      expect(addressOf(fix), reasonTexts[reason].label).to.equal(addresses[reason]);
      expect(fix.label).to.match(/^[A-Z]/);
    }
  });

  it('opens a page also where the deal has no person, plan or field', () => {
    const bare = { ...deal, repId: null, closeDate: null, currency: null, missing: [], rules: [] };
    for (const reason of exceptionReasons) {
      expect(addressOf(fixOf(reason, bare, place)), reason).not.to.match(/undefined|null/);
      expect(addressOf(fixOfGroup({ reason, deals: [] }, place)), reason).not.to.match(/undefined|null/);
    }
  });

  it('is for all deals of the reason where one page can do that', () => {
    const deals = [deal, { ...deal, dealId: 'D-2', repId: 'bob' }, { ...deal, dealId: 'D-3' }];
    const addressFor = (reason: (typeof exceptionReasons)[number]) => addressOf(fixOfGroup({ reason, deals }, place));
    expect(addressFor('no_assignment')).to.equal('/assignments?assign=ann,bob');
    expect(addressFor('owner_unresolved')).to.equal('/owners?');
    expect(addressFor('field_missing')).to.equal('/fields?name=seats');
    expect(addressFor('no_close_date')).to.equal('/deals/D%2F1?edit=closeDate');
  });

  it('names the inputs of the form, which has one for a field that the deal lacks', () => {
    const missing = (slug: string) => addressOf(fixOf('field_missing', { ...deal, missing: [slug] }, place));
    expect(missing('dealAmount')).to.equal('/deals/D%2F1?edit=amount');
    expect(withInput(editedDeal(null, {}), 'field seats').others).to.deep.equal({ seats: '' });
    expect(withInput(editedDeal(null, {}), 'closeDate')).to.deep.equal(editedDeal(null, {}));
  });
});
