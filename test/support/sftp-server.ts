import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { freePort } from './free-port.js';
import { until } from './until.js';

const program = '/usr/sbin/sshd';

/** The SSH server of Debian on loopback, which lets one key read files by SFTP. */
export class SftpServer {
  private constructor(
    readonly port: number,
    /** The folder whose files are read. */
    readonly folder: string,
    readonly privateKey: string,
    readonly hostKey: string,
    private readonly home: string,
    private readonly process: ChildProcess,
  ) {}

  readonly user = userInfo().username;

  /** Null if the server is not installed; with CI set that is an error. */
  static async start(): Promise<SftpServer | null> {
    const installed = await access(program).then(
      () => true,
      () => false,
    );
    if (!installed) return missing();
    const home = await mkdtemp(path.join(tmpdir(), 'commissions-sftp-'));
    const folder = path.join(home, 'files');
    await mkdir(folder);
    for (const name of ['host', 'client'])
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path.join(home, name)]);
    const port = await freePort();
    const settings = [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${home}/host`,
      `AuthorizedKeysFile ${home}/client.pub`,
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'UsePAM no',
      'StrictModes no',
      'PermitRootLogin yes',
      'PidFile none',
      'Subsystem sftp internal-sftp',
    ];
    await writeFile(path.join(home, 'config'), `${settings.join('\n')}\n`);
    // Only a server that runs as root needs the folder, and only root can create it.
    await mkdir('/run/sshd', { recursive: true }).catch(() => undefined);
    const process = spawn(program, ['-D', '-f', path.join(home, 'config')], { stdio: 'ignore' });
    await until(async () => ((await isListening(port)) ? true : undefined), { what: 'sshd' });
    const fingerprint = execFileSync('ssh-keygen', ['-l', '-f', path.join(home, 'host.pub')], { encoding: 'utf8' });
    const [, hostKey = ''] = fingerprint.split(' ');
    return new SftpServer(port, folder, await readFile(path.join(home, 'client'), 'utf8'), hostKey, home, process);
  }

  write(name: string, content: string): Promise<void> {
    return writeFile(path.join(this.folder, name), content);
  }

  async stop(): Promise<void> {
    const ended = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await ended;
    await rm(this.home, { recursive: true });
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('close', () => socket.destroy());
    socket.end();
  });
}

function missing(): null {
  if (process.env['CI']) throw new Error('sshd is not installed; .ci/run installs it.');
  return null;
}
