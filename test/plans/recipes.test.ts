import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parse } from 'yaml';
import { createPlan } from '#src/plans/commands/create-plan.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';

const page = readFileSync(fileURLToPath(new URL('../../../docs/plans.md', import.meta.url)), 'utf8');
const section = page.slice(page.indexOf('## Twelve sentences'), page.indexOf('## The second shape'));
const recipes = [...section.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => parse(text));

describe('the recipes of docs/plans.md', () => {
  it('are twelve sentences, and five of them have a recipe', () => {
    expect(section.split('\n').filter((line) => line.startsWith('| "'))).to.have.length(12);
    expect(recipes).to.have.length(5);
  });

  for (const recipe of recipes)
    it(`${recipe.name}: its tests pass, without a warning about its terms`, async () => {
      const workspace = await OfflineWorkspace.create();
      const saved = await workspace.run(createPlan, { body: { ...recipe, status: 'active' } });
      expect(saved.tests).to.have.length(recipe.tests.length);
      const codes = saved.warnings.map(({ code }: { code: string }) => code);
      expect(codes.filter((code: string) => /rank|floor|rate_above|threshold/.test(code))).to.deep.equal([]);
      const [test] = recipe.tests;
      const wrong = { ...test, expected: test.expected.map((one: { amount: number }) => ({ ...one, amount: 1 })) };
      await workspace.expectError('plan_tests_failed', 400, createPlan, {
        body: { ...recipe, name: 'Wrong', status: 'active', tests: [wrong] },
      });
    });
});
