import { type ApiClient } from '#test/support/test-service.js';

export const exportJobs = '/v1/statements/export/jobs';

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
export async function finishedExport(api: ApiClient, jobId: string): Promise<any> {
  for (let deadline = Date.now() + 60_000; Date.now() < deadline; ) {
    const job = await api.expect(200, 'GET', `${exportJobs}/${jobId}`);
    if (job.status !== 'running') return job;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the export was not finished within a minute');
}
