import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const format = 1;
const nonceLength = 12;
const tagLength = 16;

/**
 * Keyed hashes and encryption of data that must not be readable from the database. Each purpose has its own key,
 * derived from the master key, which is never stored in the database.
 */
export class Secrets {
  private readonly macKey: Buffer;
  private readonly sealKey: Buffer;

  constructor(masterKey: Buffer) {
    this.macKey = derive(masterKey, 'commissions mac v1');
    this.sealKey = derive(masterKey, 'commissions seal v1');
  }

  /** HMAC-SHA-256 of the parts with their lengths, so that different lists of parts never have the same input. */
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

  /**
   * AES-256-GCM. The place, such as table and row id, is authenticated: a text copied to another place cannot be
   * opened.
   */
  seal(place: string, text: string): Buffer {
    const nonce = randomBytes(nonceLength);
    const cipher = createCipheriv('aes-256-gcm', this.sealKey, nonce, { authTagLength: tagLength });
    cipher.setAAD(Buffer.from(place));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.from([format]), nonce, cipher.getAuthTag(), sealed]);
  }

  /** Throws if the text was sealed for another place or with another key, or has been modified. */
  open(place: string, sealed: Buffer): string {
    const start = 1 + nonceLength + tagLength;
    if (sealed[0] !== format || sealed.length < start) throw new Error('a sealed text has an unknown format');
    const nonce = sealed.subarray(1, 1 + nonceLength);
    // Without an explicit length, Node accepts tags of four bytes.
    const decipher = createDecipheriv('aes-256-gcm', this.sealKey, nonce, { authTagLength: tagLength });
    decipher.setAAD(Buffer.from(place));
    decipher.setAuthTag(sealed.subarray(1 + nonceLength, start));
    return Buffer.concat([decipher.update(sealed.subarray(start)), decipher.final()]).toString('utf8');
  }
}

function derive(masterKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', purpose, 32));
}
