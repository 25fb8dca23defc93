import { expect } from 'chai';
import { Redis } from 'ioredis';
import { JobQueue } from '#src/platform/jobs/job-queue.js';
import { createLog } from '#src/platform/log.js';
import { interruptibleConnection } from '#test/support/interruptible-connection.js';
import { migrateTestDatabase } from '#test/support/migrate-test-database.js';
import { startRedis } from '#test/support/redis-server.js';
import { createTestDatabase } from '#test/support/test-database.js';
import { until } from '#test/support/until.js';

const job = { name: 'test.v1', payload: undefined as never, attempts: 1 };
const log = createLog('silent');

const isReachable = (queue: JobQueue) =>
  queue.check().then(
    () => true,
    () => false,
  );

/** A queue whose first connection has failed works as soon as its server does. */
async function expectRecovery(queue: JobQueue, mend: () => Promise<unknown>): Promise<void> {
  try {
    expect(await isReachable(queue)).to.equal(false);
    await mend();
    await until(() => isReachable(queue));
    expect(await queue.tryAdd(job, {})).to.equal(true);
  } finally {
    await queue.close();
  }
}

describe('a job queue whose first connection failed', () => {
  it('works on PostgreSQL when the database is available again', async () => {
    const database = await createTestDatabase({ migrate: migrateTestDatabase });
    const line = await interruptibleConnection(database.appUrl);
    try {
      await line.cut();
      await expectRecovery(new JobQueue({ postgresUrl: line.url }, log), line.mend);
    } finally {
      await line.cut();
      await database.drop();
    }
  });

  it('works on Redis when the server responds again', async function () {
    const redis = await startRedis();
    if (redis === null) return this.skip();
    const admin = new Redis(redis.url);
    try {
      // The first command of BullMQ is INFO.
      await admin.acl('SETUSER', 'default', '-info');
      const queue = new JobQueue({ redis: redis.servers }, log);
      await expectRecovery(queue, () => admin.acl('SETUSER', 'default', '+info'));
    } finally {
      admin.disconnect();
      await redis.stop();
    }
  });
});
