import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { showMessage } from '../app/messages.js';
import { api, ReadableError } from './client.js';

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

/** A worker makes the file. */
interface Job {
  readonly jobId: string;
}

/** Receives the finished share of a job, from 0 to 1. */
type OnProgress = (ratio: number) => void;

/** The service deletes files after an hour. */
const maxPolls = 720;

interface Waiting {
  readonly onProgress?: OnProgress;
  /** Ends the wait for a file whose reader has left. */
  readonly signal?: AbortSignal;
}

async function requestFile(jobId: string, { onProgress, signal }: Waiting): Promise<File> {
  for (let poll = 0; poll < maxPolls; poll += 1) {
    const { status, progress, error } = await api.getExportJob({ params: { jobId } }, { signal });
    if (status === 'failed') throw new ReadableError(error ?? 'The file could not be made.');
    if (status === 'completed') return (await api.getExportFile({ params: { jobId } }, { signal })) as unknown as File;
    onProgress?.(progress.total === 0 ? 0 : progress.done / progress.total);
    await new Promise((resolve) => setTimeout(resolve, Math.min(1000 + poll * 200, 5000)));
    signal?.throwIfAborted();
  }
  throw new ReadableError('The file was not ready in time. Try again.');
}

/** The file that was requested, once a worker has made it. */
export function finishedFile(requested: unknown, waiting: Waiting): File | Promise<File> {
  return requested instanceof File ? requested : requestFile((requested as Job).jobId, waiting);
}

/** Saves a file under the name that the service gives it. */
async function save(requested: unknown, onProgress: OnProgress): Promise<void> {
  const file = await finishedFile(requested, { onProgress });
  saveFile(file, file.name);
}

export type StatementFormat = 'pdf' | 'xlsx' | 'csv';

export async function downloadStatement(
  repId: string,
  period: string,
  format: StatementFormat,
  onProgress: OnProgress,
): Promise<void> {
  await save(await api.exportStatement({ params: { repId }, query: { period, format } }), onProgress);
}

export type TeamFile = 'csv' | 'pdf' | 'xlsx' | 'zip';

const requests = {
  csv: api.exportStatementsCsv,
  pdf: api.exportStatementsPdf,
  xlsx: api.exportStatementsXlsx,
  zip: api.exportStatementsZip,
} as const;

/** A file of everyone: `csv` has one row for each person, `zip` all statements as PDF. */
export async function downloadTeamFile(kind: TeamFile, period: string, onProgress: OnProgress): Promise<void> {
  await save(await requests[kind]({ query: { period, async: 'true' } }), onProgress);
}

/** The document of the plan that the person accepts. */
export async function downloadPlanDocument(planVersionId: string, onProgress: OnProgress): Promise<void> {
  await save(await api.exportPlanDocument({ params: { planVersionId } }), onProgress);
}

/** Who has accepted the plan, when, and which document. */
export async function downloadAcceptances(planRef: string): Promise<void> {
  saveFile((await api.exportAcceptances({ query: { planRef } })) as unknown as Blob, 'acceptances.csv');
}

/** Everything that is stored about the person, or about oneself. */
export async function downloadPersonalData(repId: string, onProgress: OnProgress): Promise<void> {
  await save(await api.exportPerson({ body: { repId } }), onProgress);
}

/** A finished file of a job. */
export async function downloadExport(jobId: string, onProgress: OnProgress): Promise<void> {
  await save({ jobId }, onProgress);
}

interface Download<Kind> {
  readonly start: (kind: Kind) => void;
  /** The finished share of the download, from 0 to 1; null while there is none. */
  readonly ratio: number | null;
}

/** Downloads one file at a time. */
export function useDownload<Kind = void>(
  download: (kind: Kind, onProgress: OnProgress) => Promise<void>,
): Download<Kind> {
  const [ratio, setRatio] = useState<number | null>(null);
  const { mutate } = useMutation({
    mutationFn: (kind: Kind) => {
      setRatio(0);
      return download(kind, setRatio);
    },
    onSuccess: () => showMessage('The file was saved.'),
    onSettled: () => setRatio(null),
  });
  return { start: mutate, ratio };
}
