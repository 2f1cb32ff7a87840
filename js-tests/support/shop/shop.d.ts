/* tslint:disable */
/* eslint-disable */
export type Item = { readonly "sku": string; readonly "qty": number; readonly "note": string | null };
export class Shop {
    private constructor();
    readonly "messages": import("threadfold").LangChainMessage[];
    readonly "todos": import("threadfold").Todo[];
    /** By sku. */ readonly "cart": ReadonlyArray<Item>;
    readonly "spent": number;
    static fields(): { name: string; kind: string }[];
    static initial(at: number): unknown;
    static fold(at: number, now: unknown, update: unknown): unknown;
    /** Only for the type checker: there is no such value. */
    static readonly "~fields"?: {
        readonly "messages": import("threadfold").Field<import("threadfold").LangChainMessage[], import("threadfold").MessagesUpdate<import("threadfold").LangChainMessage> | import("threadfold").Overwrite<import("threadfold").LangChainMessage[]>, true>;
        readonly "todos": import("threadfold").Field<import("threadfold").Todo[], readonly import("threadfold").Todo[], true>;
        /** By sku. */ readonly "cart": import("threadfold").Field<ReadonlyArray<Item>, ReadonlyArray<Item> | import("threadfold").Overwrite<ReadonlyArray<Item>>, true>;
        readonly "spent": import("threadfold").Field<number, number | import("threadfold").Overwrite<number>, true>;
    };
}
export type ShopUpdate = {
    readonly "messages"?: import("threadfold").MessagesUpdate<import("threadfold").LangChainMessage> | import("threadfold").Overwrite<import("threadfold").LangChainMessage[]>;
    readonly "todos"?: readonly import("threadfold").Todo[];
    /** By sku. */ readonly "cart"?: ReadonlyArray<Item> | import("threadfold").Overwrite<ReadonlyArray<Item>>;
    readonly "spent"?: number | import("threadfold").Overwrite<number>;
};