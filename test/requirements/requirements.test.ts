import { describeTokens } from './tokens.js';
import 'reflect-metadata';
import { describeAssignments } from './assignments.js';
import { describeAuthRoutes } from './auth-routes.js';
import { describeClearing } from './clearing.js';
import { describeCommissions } from './commissions.js';
import { describeConditions } from './conditions.js';
import { describeContract } from './contract.js';
import { describeCrmSyncs } from './crm-syncs.js';
import { describeDeals } from './deals.js';
import { describeEngine } from './engine.js';
import { describeFields } from './fields.js';
import { describeMcp } from './mcp.js';
import { describePipeline } from './pipeline.js';
import { describeResources } from './plan-config.js';
import { describePlans } from './plans.js';
import { describeQuotaRoutes } from './quotas.js';
import { describeReps } from './reps.js';
import { expectEveryRow } from './rows.js';
import { startService, stopService } from './running-service.js';
import { describeStatements } from './statements.js';
import { describeStates } from './states.js';
import { describeWebhooks } from './webhooks.js';
import { describeWorkspace } from './workspace.js';

describe('the requirements, on the running service', function () {
  this.timeout(60_000);

  before(async function () {
    this.timeout(180_000);
    await startService();
  });

  after(stopService);

  describePipeline();
  describeMcp();
  describeEngine();
  describeConditions();
  describeResources();
  describeStates();
  describeAssignments();
  describeAuthRoutes();
  describeCommissions();
  describeClearing();
  describeDeals();
  describeFields();
  describePlans();
  describeQuotaRoutes();
  describeReps();
  describeStatements();
  describeWorkspace();
  describeCrmSyncs();
  describeWebhooks();
  describeTokens();
  describeContract();

  it('covers every row of the list exactly once', expectEveryRow);
});
