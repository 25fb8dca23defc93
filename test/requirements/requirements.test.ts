import 'reflect-metadata';
import { describeConditions } from './conditions.js';
import { describeEngine } from './engine.js';
import { describePipeline } from './pipeline.js';
import { describeResources } from './plan-config.js';
import { expectEveryRow } from './rows.js';
import { startService, stopService } from './running-service.js';
import { describeStates } from './states.js';

describe('the requirements, on the running service', function () {
  this.timeout(60_000);

  before(async function () {
    this.timeout(180_000);
    await startService();
  });

  after(stopService);

  describePipeline();
  describeEngine();
  describeConditions();
  describeResources();
  describeStates();

  it('covers every row of the list exactly once', expectEveryRow);
});
