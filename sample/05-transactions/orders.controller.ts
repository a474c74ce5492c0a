import { BadRequestException, Body, ConflictException, Controller, Get, Post } from '@nestjs/common';
import { InvalidParamsError, JobQueue } from 'nestjs-jobs';
import { Database } from './database.js';
import { ChargeOrder } from './jobs/charge-order.js';
import { SendMail } from './jobs/send-mail.js';

class PlaceOrder {
  item!: string;
  email!: string;
}

interface Order {
  readonly id: number;
  readonly item: string;
  readonly state: string;
  /** By the attempts that made them. */
  readonly payments: number[];
}

@Controller('orders')
export class OrdersController {
  constructor(
    private readonly database: Database,
    private readonly jobs: JobQueue,
  ) {}

  /** The order, its mail and its charge: all of them or, where the item is sold out, none. */
  @Post()
  async place(@Body() { item, email }: PlaceOrder) {
    try {
      return await this.database.transaction(async (tx) => {
        const { rows } = await tx.query<{ id: number }>(
          'INSERT INTO shop.orders (item, email) VALUES ($1, $2) RETURNING id',
          [item, email],
        );
        const { id } = rows[0]!;
        await this.jobs.bulk(
          (bulk) => {
            bulk.enqueue(SendMail, { to: email, text: `we have your order ${id}: a ${item}` });
            bulk.enqueue(ChargeOrder, { order: id });
          },
          { transaction: tx },
        );
        const taken = await tx.query(
          'UPDATE shop.stock SET pieces = pieces - 1 WHERE item = $1 AND pieces > 0 RETURNING pieces',
          [item],
        );
        if (taken.rows.length === 0) throw new ConflictException(`there is no ${item}`);
        return { id };
      });
    } catch (error) {
      if (error instanceof InvalidParamsError) throw new BadRequestException(error.violations);
      throw error;
    }
  }

  @Get()
  async list(): Promise<Order[]> {
    return this.database.transaction(async (tx) => {
      const { rows } = await tx.query<Order>(
        `SELECT id, item, state, ARRAY(SELECT attempt FROM shop.payments WHERE "order" = id) AS payments
        FROM shop.orders ORDER BY id`,
      );
      return rows;
    });
  }
}
