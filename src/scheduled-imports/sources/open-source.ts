import { type Credentials } from '../credentials.js';
import { type SourceAddress } from '../scheduled-import.js';
import { s3Source } from './s3-source.js';
import { sftpSource } from './sftp-source.js';
import { type FileSource, type SourceSettings } from './source.js';
import { stripeSource } from './stripe-source.js';
import { urlSource } from './url-source.js';

/** Opens a connection to where the files are. The caller closes it. */
export async function openSource(
  address: SourceAddress,
  credentials: Credentials,
  { stripeBase, timeZone, dealField, ...limits }: SourceSettings,
): Promise<FileSource> {
  if (address.kind === 'url') return urlSource({ url: address.url, authorization: credentials.authorization }, limits);
  if (address.kind === 'sftp') {
    const { password, privateKey, passphrase } = credentials;
    return sftpSource({ ...address, hostKey: address.hostKey, password, privateKey, passphrase }, limits);
  }
  if (address.kind === 'stripe') {
    const includesUnnamed = dealField !== undefined;
    return stripeSource({
      ...address,
      apiKey: credentials.apiKey ?? '',
      apiBase: stripeBase,
      includesUnnamed,
      timeZone,
    });
  }
  const { accessKeyId = '', secretAccessKey = '' } = credentials;
  return s3Source({ ...address, endpoint: address.endpoint, accessKeyId, secretAccessKey }, limits);
}
