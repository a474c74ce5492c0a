import { Injectable } from '@nestjs/common';

/** Stands for the mail server, the warehouse and the bank: what was done, in order. */
@Injectable()
export class Outbox {
  readonly done: string[] = [];

  async do(what: string): Promise<void> {
    this.done.push(what);
  }
}
