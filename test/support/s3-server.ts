import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AwsClient } from 'aws4fetch';
import s3rver from 's3rver';

/** An S3-compatible store on loopback, which checks no signatures of version 4. */
export class S3Server {
  readonly accessKeyId = 'S3RVER';
  readonly secretAccessKey = 'S3RVER';
  readonly region = 'us-east-1';
  readonly bucket = 'bookings';

  private constructor(
    readonly endpoint: string,
    private readonly server: { close(): Promise<void> },
    private readonly folder: string,
  ) {}

  static async start(): Promise<S3Server> {
    const folder = await mkdtemp(path.join(tmpdir(), 'commissions-s3-'));
    const buckets = [{ name: 'bookings', configs: [] }];
    const server = new s3rver({
      port: 0,
      address: '127.0.0.1',
      silent: true,
      directory: folder,
      configureBuckets: buckets,
    });
    const { port } = (await server.run()) as AddressInfo;
    return new S3Server(`http://127.0.0.1:${port}`, server, folder);
  }

  /** Writes an object. */
  async write(key: string, content: string): Promise<void> {
    const { accessKeyId, secretAccessKey, region } = this;
    const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3' });
    const url = `${this.endpoint}/${this.bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;
    const { status } = await client.fetch(url, { method: 'PUT', body: content });
    if (status !== 200) throw new Error(`the store responded with status ${status}`);
  }

  async stop(): Promise<void> {
    await this.server.close();
    await rm(this.folder, { recursive: true });
  }
}
