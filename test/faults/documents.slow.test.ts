import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { type ApiClient, type ApiResponse } from '#test/support/api-client.js';
import { download, unzipped } from '#test/support/downloads.js';
import { requireBrowser } from '#test/support/pdf-tools.js';
import { Service } from '#test/support/service.js';
import { WorkedExample } from '#test/support/worked-example.js';

/** Number of documents; DOCUMENT_RUNS=200 for a long run. */
const runs = Number(process.env['DOCUMENT_RUNS'] ?? 24);

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  readonly rssMib: number;
}

function processes(): Process[] {
  const lines = execFileSync('ps', ['-o', 'pid=,ppid=,rss=,comm=', '-e'], { encoding: 'utf8' }).trim().split('\n');
  return lines.map((line) => {
    const [pid, parent, rss, name = ''] = line.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent), name, rssMib: Number(rss) / 1024 };
  });
}

/** The browsers that the process started, and all their descendants. */
function browserTree(of: number): Process[] {
  const all = processes();
  const found = all.filter((one) => one.parent === of && /chrom/.test(one.name));
  for (const one of found) found.push(...all.filter((child) => child.parent === one.pid));
  return found;
}

/** Returns the first bytes of the file, or the error. Waits for the export job if the response is 202. */
async function fetched(api: ApiClient, from: string): Promise<string> {
  const answer = await api.get(from);
  if (answer.status !== 202) return firstBytes(answer);
  for (;;) {
    const job = await api.expect(200, 'GET', `/v1/statements/export/jobs/${answer.body.jobId}`);
    if (job.status === 'failed') return JSON.stringify(job);
    if (job.status !== 'running') return firstBytes(await api.get(job.file.path));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function firstBytes({ status, body }: ApiResponse): string {
  return status === 200 ? String(body).slice(0, 5) : `${status} ${JSON.stringify(body)}`;
}

describe('documents under faults', function () {
  this.timeout(600_000);
  before(async function () {
    await requireBrowser(this);
  });

  describe('when browsers are killed', () => {
    const service = Service.duringSuite();
    let workspace: WorkedExample;
    before(async () => {
      workspace = await WorkedExample.create(service);
    });

    const pdf = (period: string) => `/v1/statements/${workspace.ben}/export?period=${period}&format=pdf`;
    /** A browser that is rendering: it has child processes. */
    function workingBrowser(): number | undefined {
      const all = processes();
      const own = all.filter((one) => one.parent === process.pid && /chrom/.test(one.name));
      return own.find((one) => all.some((child) => child.parent === one.pid))?.pid;
    }

    it('returns every PDF of ten concurrent requests although two browsers are killed', async () => {
      const requests = Array.from({ length: 10 }, (_, index) => fetched(workspace.api, pdf(`20${10 + index}-Q1`)));
      const killed = new Set<number>();
      for (let deadline = Date.now() + 60_000; killed.size < 2 && Date.now() < deadline; ) {
        await new Promise((resolve) => setTimeout(resolve, 40));
        const alive = workingBrowser();
        if (alive === undefined || killed.has(alive)) continue;
        await new Promise((resolve) => setTimeout(resolve, 150));
        killed.add(alive);
        process.kill(alive, 'SIGKILL');
      }
      expect(await Promise.all(requests)).to.deep.equal(Array(10).fill('%PDF-'));
      expect(killed.size).to.equal(2);
    });

    it('uses the same memory for any number of documents', async () => {
      const used = () => {
        const browser = browserTree(process.pid).reduce((total, one) => total + one.rssMib, 0);
        return { browser, node: process.memoryUsage().rss / 1024 ** 2 };
      };
      const samples: { browser: number; node: number }[] = [];
      for (let run = 0; run < runs; run += 1) {
        expect(await fetched(workspace.api, pdf('2026-Q1'))).to.equal('%PDF-');
        if (run % 6 === 5) samples.push(used());
      }
      const [first, last] = [samples[0], samples.at(-1)];
      if (first === undefined || last === undefined) throw new Error('too few runs');
      const report = samples.map(({ browser, node }) => `${Math.round(browser)}/${Math.round(node)}`).join(' ');
      expect(last.browser, report).to.be.lessThan(first.browser * 1.3 + 60);
      expect(last.node, report).to.be.lessThan(first.node * 1.3 + 60);
      if (process.env['DOCUMENT_RUNS'] !== undefined) console.log(`      browser/node MiB: ${report}`);
    });
  });

  describe('when workers are killed', () => {
    const service = Service.duringSuite({ worker: false });

    async function untilDone(api: ApiClient, jobId: string, done: number): Promise<string> {
      for (let deadline = Date.now() + 90_000; Date.now() < deadline; ) {
        const { status, progress } = await api.expect(200, 'GET', `/v1/statements/export/jobs/${jobId}`);
        if (status !== 'running' || progress.done >= done) return status;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      throw new Error(`the archive did not reach ${done} statements within 90 s`);
    }

    it('completes an archive and a pending document on another worker', async () => {
      const first = await service.startProcess('worker');
      const workspace = await WorkedExample.create(service);
      const reps = Array.from({ length: 24 }, (_, index) => ({ email: `r${index}@acme.test`, name: `Rep ${index}` }));
      const repIds = await workspace.api.saveReps(...reps);
      await workspace.api.assign(repIds, workspace.planId);
      await workspace.api.expect(200, 'POST', '/v1/statements/generate', { period: '2026-Q1' });
      const { jobId } = (await workspace.api.get('/v1/statements/export.zip?period=2026-Q1&async=true')).body;
      expect(await untilDone(workspace.api, jobId, 3)).to.equal('running');
      const left = browserTree(first.pid).map(({ pid }) => pid);
      expect(left).not.to.deep.equal([]);
      const waits = fetched(workspace.api, `/v1/statements/${workspace.ben}/export?period=2026-Q1&format=pdf`);
      await first.end('SIGKILL');
      const second = await service.startProcess('worker');
      expect(await untilDone(workspace.api, jobId, 9)).to.equal('running');
      expect(await waits).to.equal('%PDF-');
      await second.end('SIGKILL');
      await service.startProcess('worker');
      expect(await untilDone(workspace.api, jobId, 1000)).to.equal('completed');
      const { bytes } = await download(workspace.api, `/v1/statements/export/jobs/${jobId}/file`);
      const files = [...unzipped(bytes).values()];
      expect(files).to.have.length(26);
      for (const content of files) expect(content.subarray(0, 5).toString()).to.equal('%PDF-');
      for (const pid of left)
        expect(commandOf(pid), 'the browser still runs after its worker was killed').not.to.match(/chrom/);
    });
  });
});

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8');
  } catch {
    return '';
  }
}
