import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { createWorkspace } from '#src/access/workspaces/create-workspace.js';
import { type Service } from '#src/app/composition.js';
import { type Welcome } from '#src/app/main.js';
import { type Caller, serviceCaller } from '#src/kernel/caller.js';
import { dayInZone } from '#src/kernel/day.js';
import { toPeriod } from '#src/kernel/period.js';
import { pollUntil } from '#src/kernel/waiting.js';
import { operations } from '#src/operations.js';
import { demoCorrection, demoRefund } from './corrections.js';
import { demoDeals } from './deals.js';
import { demoPeople, sellers } from './people.js';
import { demoPlanChange, demoPlans } from './plans.js';

/** What the service prints about the demo after the first start. */
interface DemoWorkspace {
  readonly apiKey: string;
  readonly period: string;
  readonly dealId: string;
}

/** The API key and the first calls to try. */
export function demoWelcome({ apiKey, period, dealId }: DemoWorkspace): Welcome {
  const auth = `-H "Authorization: Bearer ${apiKey}"`;
  return (url) => [
    '  A demo workspace with made-up people and deals was created. Its API key is shown only once:',
    '',
    `    ${apiKey}`,
    '',
    '  Try:',
    `    curl -s ${auth} "${url}/v1/commissions?period=${period}"`,
    `    curl -s ${auth} "${url}/v1/commissions?dealId=${dealId}"`,
    `    curl -s -X POST ${auth} -H "Content-Type: application/json" -d '{}' "${url}/v1/commissions/recalculate"`,
  ];
}

/**
 * Creates the demo workspace on the first start of an embedded service: fictitious people, plans, quotas and a
 * year of deals up to today, created through the API's operations and calculated by the workers. It has a plan of
 * two versions, a refund at the start of its quarter, and an approved quarter with a true-up.
 */
export async function createDemoWorkspace(service: Service): Promise<DemoWorkspace> {
  const { workspaceId, apiKey } = await createWorkspace(service.unitOfWork, {
    name: 'Demo: made-up people and deals',
    tier: 'enterprise',
    currency: 'USD',
    timezone: 'UTC',
    isDemo: true,
  });
  const today = dayInZone(service.clock.now(), 'UTC');
  const demo = new DemoBuilder(service, { ...serviceCaller(workspaceId, 'demo'), actor: 'demo' });
  await demo.savePeople();
  await demo.importDeals(today);
  await demo.savePlans(today);
  await demo.waitForWorkers();
  await demo.correctLastQuarter(today);
  await demo.waitForWorkers();
  const [seller] = sellers;
  const dealId =
    demoDeals(today).find((deal) => deal.ownerId === seller && deal.stage === 'Closed Won')?.dealId ?? 'D-0001';
  return { apiKey, period: toPeriod(today, 'annual'), dealId };
}

interface SavedPlan {
  readonly planId: string;
  readonly planVersionId: string;
  readonly rules: readonly { readonly id: string; readonly name: string }[];
}

class DemoBuilder {
  private readonly repIds = new Map<string, string>();
  private readonly planIds = new Map<string, string>();

  constructor(
    private readonly service: Service,
    private readonly caller: Caller,
  ) {}

  async savePeople(): Promise<void> {
    const saved = await this.call<{ reps: { id: string; email: string }[] }>('put', '/v1/reps', { reps: demoPeople });
    for (const rep of saved.reps) this.repIds.set(rep.email, rep.id);
  }

  async importDeals(today: string): Promise<void> {
    const stream = Readable.from([Buffer.from(JSON.stringify({ deals: demoDeals(today) }))]);
    await this.call('post', '/v1/deals/import', { contentType: 'application/json', stream });
    const { dealId, deal } = demoRefund(today);
    await this.call('put', '/v1/deals/:dealId', deal, { dealId });
  }

  async savePlans(today: string): Promise<void> {
    for (const plan of demoPlans(today)) {
      const saved = await this.call<SavedPlan>('post', '/v1/plans', { name: plan.name, config: plan.config });
      const repIds = plan.people.map((email) => this.repId(email));
      for (const quota of plan.quotas) {
        const ofQuota = quota.people.map((email) => this.repId(email));
        await this.call('post', '/v1/quotas', {
          repIds: ofQuota,
          planId: saved.planId,
          measure: quota.measure,
          period: quota.period,
          target: quota.target,
          ...(quota.variableTarget === undefined ? {} : { variableTarget: quota.variableTarget }),
        });
      }
      for (const override of plan.overrides) {
        const rule = saved.rules.find((candidate) => candidate.name === override.rule);
        await this.call(
          'put',
          '/v1/plans/:planVersionId/overrides/:repId',
          { rules: [{ ruleId: rule?.id, tiers: override.tiers }] },
          { planVersionId: saved.planVersionId, repId: this.repId(override.person) },
        );
      }
      await this.call('post', '/v1/assignments', { repIds, planId: saved.planId });
      this.planIds.set(plan.name, saved.planId);
    }
    const { plan, ...change } = demoPlanChange(today);
    await this.call('patch', '/v1/plans/:planRef', change, { planRef: this.planIds.get(plan) ?? '' });
  }

  /** An approved statement, a late deal, the true-up that pays it, a later change of the deal and a dispute about it. */
  async correctLastQuarter(today: string): Promise<void> {
    const { seller, manager, period, dealId, deal, amended, objection } = demoCorrection(today);
    const ofSeller = { repId: this.repId(seller) };
    const managerId = this.repId(manager);
    const asManager: Caller = { ...this.caller, accessLevel: 'manager', repId: managerId, actor: `rep:${managerId}` };
    await this.call('post', '/v1/statements/:repId/generate', { period }, ofSeller, asManager);
    const approval = { period, status: 'approved' };
    await this.call('post', '/v1/statements/:repId/approve', approval, ofSeller, asManager);
    await this.call('put', '/v1/deals/:dealId', deal, { dealId });
    await this.waitForWorkers();
    await this.call('post', '/v1/statements/:repId/true-up', { period, force: true }, ofSeller, asManager);
    await this.call('put', '/v1/deals/:dealId', amended, { dealId });
    const { repId } = ofSeller;
    const asSeller: Caller = { ...this.caller, accessLevel: 'rep', repId, actor: `rep:${repId}` };
    const dispute = { period, dealId, type: 'wrong_amount', description: objection };
    await this.call('post', '/v1/disputes', dispute, {}, asSeller);
  }

  /** Waits until no work is left, or until a time limit. */
  async waitForWorkers(): Promise<void> {
    const pending = sql`select from calculation_requests where workspace_id = ${this.caller.workspaceId} limit 1`;
    const read = () => this.service.unitOfWork.read(this.caller, (tx) => pending.execute(tx.db));
    await pollUntil(read, ({ rows }) => rows.length === 0, { maxWaitMs: 30_000, pauseMs: 50 });
  }

  private repId(email: string): string {
    const repId = this.repIds.get(email);
    if (repId === undefined) throw new Error(`the demo has no rep with the e-mail ${email}`);
    return repId;
  }

  private async call<Answer>(
    method: string,
    path: string,
    body: unknown,
    params: Record<string, string> = {},
    caller = this.caller,
  ): Promise<Answer> {
    const operation = operations.find((candidate) => candidate.method === method && candidate.path === path);
    if (operation === undefined) throw new Error(`no operation is declared for ${method} ${path}`);
    const { body: response } = await this.service.dispatcher.run(operation, { params, query: {}, body }, caller);
    return response as Answer;
  }
}
