import { spawnSync } from 'node:child_process';

/** The text of a PDF as it stands on its pages; null where poppler-utils is missing, which CI does not let pass. */
export function pdfText(pdf: Buffer, ...options: readonly string[]): string | null {
  const { error, status, stdout, stderr } = spawnSync('pdftotext', [...options, '-', '-'], {
    input: pdf,
    maxBuffer: 64 * 1024 * 1024,
  });
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') {
    if (process.env['CI']) throw new Error('pdftotext is not installed: apt-get install poppler-utils (.ci/run does).');
    return null;
  }
  if (status !== 0) throw new Error(`pdftotext: ${error ?? stderr}`);
  return stdout.toString('utf8');
}
