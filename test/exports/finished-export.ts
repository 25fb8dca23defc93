import { type ApiClient } from '#test/support/api-client.js';
import { until } from '#test/support/until.js';

export const exportJobs = '/v1/statements/export/jobs';

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
export async function finishedExport(api: ApiClient, jobId: string): Promise<any> {
  return until(
    async () => {
      const job = await api.expect(200, 'GET', `${exportJobs}/${jobId}`);
      return job.status !== 'running' && job;
    },
    { what: 'the end of the export' },
  );
}
