import { api } from '../api/client.js';

export type StatementFormat = 'pdf' | 'xlsx' | 'csv';

const waitMs = 1000;
const maxTries = 120;

/** Requests the file, waits while a worker makes it, and saves it. */
export async function downloadStatement(repId: string, period: string, format: StatementFormat): Promise<void> {
  const answer = await api.exportStatement({ params: { repId }, query: { period, format } });
  const blob = answer instanceof Blob ? answer : 'jobId' in answer ? await fileOf(answer.jobId) : null;
  if (blob !== null) save(blob, `statement-${period}.${format}`);
}

async function fileOf(jobId: string): Promise<Blob> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const { status, error } = await api.getExportJob({ params: { jobId } });
    if (status === 'completed') return (await api.getExportFile({ params: { jobId } })) as Blob;
    if (status === 'failed') throw new Error(error ?? 'The file could not be made.');
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
  throw new Error('The file was not ready in time. Try again.');
}

/** Saves data as a file of the browser. */
export function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
