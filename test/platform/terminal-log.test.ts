import { expect } from 'chai';
import { createLog } from '#src/platform/log.js';
import { terminalLog } from '#src/platform/terminal-log.js';

describe('the log of a terminal', () => {
  const lines = (write: (log: ReturnType<typeof createLog>) => void): string[] => {
    const written: string[] = [];
    write(
      createLog(
        'info',
        terminalLog((text) => written.push(text)),
      ),
    );
    return written.map((text) => text.replace(/^\d\d:\d\d:\d\d /, ''));
  };
  const request = { requestId: 'req_1', method: 'GET', ms: 12, actor: 'rep:1' };

  it('has one line per request, without those for health, files, pages and revisions that succeed', () => {
    const written = lines((log) => {
      for (const route of ['/livez', '/readyz', '/', '/v1/revision', null, ['/icon.svg', '/app/:name']])
        log.info({ ...request, route, status: 200 }, 'request');
      log.info({ ...request, route: '/v1/deals', status: 200 }, 'request');
      log.info({ ...request, route: '/readyz', status: 503, actor: undefined }, 'request');
    });
    expect(written).to.deep.equal(['info  GET /v1/deals 200 12 ms rep:1\n', 'info  GET /readyz 503 12 ms\n']);
  });

  it('prints fields after the message, the stack of an error below, and no control characters or secrets', () => {
    const [warning = '', error = ''] = lines((log) => {
      log.warn({ token: 'canary', host: 'a\u001b[2Jb' }, 'a peer\u001b[31m failed');
      log.error({ err: new Error('broken\n\u001b[2J') }, 'the job failed');
    });
    expect(warning).to.match(/^warn {2}a peer \[31m failed token="\[redacted]" host="a\\u001b\[2Jb"\n$/);
    expect(error).to.match(/^error the job failed: broken {1,2}\[2J\n\s+at /);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
    expect(error).to.not.match(/\u001b/);
  });
});
