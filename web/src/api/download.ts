import { api } from './client.js';

/** Saves the file in the folder of the browser's downloads. */
export function saveFile(file: Blob, filename: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = filename;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

export type TeamFile = 'pdf' | 'xlsx' | 'zip';

const start = {
  pdf: api.exportStatementsPdf,
  xlsx: api.exportStatementsXlsx,
  zip: api.exportStatementsZip,
} as const;

/** At most an hour, after which the service deletes files. */
const maxPolls = 720;

/** Makes a file of the team in a job and saves it; `onProgress` receives the finished share from 0 to 1. */
export async function exportTeamFile(
  kind: TeamFile,
  period: string,
  onProgress: (ratio: number) => void,
): Promise<void> {
  const started = await start[kind]({ query: { period, async: 'true' } });
  if (started instanceof Blob) {
    saveFile(started, `statements-${period}.${kind}`);
    return;
  }
  const { jobId } = started;
  for (let poll = 0; poll < maxPolls; poll += 1) {
    const { status, progress, file, error } = await api.getExportJob({ params: { jobId } });
    if (status === 'failed') throw new Error(error ?? 'The file could not be made.');
    if (file !== undefined) {
      saveFile((await api.getExportFile({ params: { jobId } })) as unknown as Blob, file.filename);
      return;
    }
    onProgress(progress.total === 0 ? 0 : progress.done / progress.total);
    await new Promise((resolve) => setTimeout(resolve, Math.min(1000 + poll * 200, 5000)));
  }
}

/** One row per person, with the amounts of the period. */
export async function exportTeamCsv(period: string): Promise<void> {
  const file = await api.exportStatementsCsv({ query: { period } });
  saveFile(file as unknown as Blob, `statements-${period}.csv`);
}
