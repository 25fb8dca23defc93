import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const format = 1;
const nonceLength = 12;
const tagLength = 16;

/**
 * What the database must not be able to tell: keyed hashes, and texts that only this service can read. Each purpose
 * has a key of its own, derived from the master key, which never lies in the database.
 */
export class Secrets {
  private readonly macKey: Buffer;
  private readonly sealKey: Buffer;

  constructor(masterKey: Buffer) {
    this.macKey = derive(masterKey, 'commissions mac v1');
    this.sealKey = derive(masterKey, 'commissions seal v1');
  }

  /** HMAC-SHA-256 of the parts; their lengths are part of it, so no two lists of parts are one. */
  mac(purpose: string, ...parts: readonly (string | Buffer)[]): Buffer {
    const hmac = createHmac('sha256', this.macKey);
    for (const part of [purpose, ...parts]) {
      const bytes = Buffer.from(part as string);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      hmac.update(length).update(bytes);
    }
    return hmac.digest();
  }

  /** AES-256-GCM. The place, such as table and row id, is bound in: a text moved elsewhere cannot be opened. */
  seal(place: string, text: string): Buffer {
    const nonce = randomBytes(nonceLength);
    const cipher = createCipheriv('aes-256-gcm', this.sealKey, nonce, { authTagLength: tagLength });
    cipher.setAAD(Buffer.from(place));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.from([format]), nonce, cipher.getAuthTag(), sealed]);
  }

  /** Throws when the text was sealed elsewhere, with another key, or changed since. */
  open(place: string, sealed: Buffer): string {
    const start = 1 + nonceLength + tagLength;
    if (sealed[0] !== format || sealed.length < start) throw new Error('a sealed text has an unknown form');
    const nonce = sealed.subarray(1, 1 + nonceLength);
    // Without a stated length Node would take a tag of four bytes for good.
    const decipher = createDecipheriv('aes-256-gcm', this.sealKey, nonce, { authTagLength: tagLength });
    decipher.setAAD(Buffer.from(place));
    decipher.setAuthTag(sealed.subarray(1 + nonceLength, start));
    return Buffer.concat([decipher.update(sealed.subarray(start)), decipher.final()]).toString('utf8');
  }
}

function derive(masterKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', purpose, 32));
}
