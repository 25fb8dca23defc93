import { QueryObserver } from '@tanstack/react-query';
import { expect } from 'chai';
import { exceptPreviews } from '#web/api/change.js';
import { overrideEffectQuery, quotaEffectQuery, workspaceEffectQuery } from '#web/api/effect-queries.js';
import { fiscalYearsEffectQuery } from '#web/api/fiscal-queries.js';
import { takeBackQuery } from '#web/api/import-queries.js';
import {
  absenceEffectQuery,
  absenceRemovalQuery,
  assignmentEffectQuery,
  employmentEffectQuery,
} from '#web/api/people-queries.js';
import { statusPreviewQuery } from '#web/api/plan-queries.js';
import { scoreEffectQuery } from '#web/api/score-queries.js';
import { queryClient } from '#web/app/query-client.js';
import { dealEffectQuery, dealsEffectQuery, deletionEffectQuery } from '#web/features/deals/deal-changes.js';

describe('previews', () => {
  afterEach(() => queryClient.clear());

  it('are calculated again whenever a dialog opens, because a save has changed their effect', async () => {
    let effect = 0;
    const query = { ...scoreEffectQuery('points', []), queryFn: async () => ++effect as never };
    const open = () =>
      new Promise((resolve) => {
        const close = new QueryObserver(queryClient, query).subscribe(({ data }) => {
          if (data === undefined) return;
          close();
          resolve(data);
        });
      });
    expect(await open()).to.equal(1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await open()).to.equal(2);
  });

  const absence = { type: 'leave', from: '2026-01-01', to: '2026-01-31' } as unknown as Parameters<
    typeof absenceEffectQuery
  >[2];
  const all = {
    'own terms': overrideEffectQuery('plan', 'ann', []),
    quotas: quotaEffectQuery({ planRuleId: 'rule', targets: [] }),
    workspace: workspaceEffectQuery({}),
    'fiscal years': fiscalYearsEffectQuery([]),
    absence: absenceEffectQuery('ann', null, absence),
    'removal of an absence': absenceRemovalQuery('absence'),
    employment: employmentEffectQuery('ann', { hireDate: null, endDate: null }),
    assignment: assignmentEffectQuery('assignment', {}),
    deal: dealEffectQuery(null),
    deals: dealsEffectQuery([]),
    'deletion of deals': deletionEffectQuery([]),
    'import that is taken back': takeBackQuery('import'),
    'status of a plan': statusPreviewQuery('version', 'active'),
  };
  for (const [name, { queryKey }] of Object.entries(all))
    it(`are not repeated by a change while they are open: ${name}`, () => {
      queryClient.setQueryData([...queryKey], {});
      expect(queryClient.getQueryCache().findAll(exceptPreviews)).to.deep.equal([]);
      expect(queryClient.defaultQueryOptions({ queryKey: [...queryKey] }).gcTime).to.equal(0);
    });
});
