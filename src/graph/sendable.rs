//! Send and Sync where there are threads. A page has one, and the futures of its `fetch` and
//! `IndexedDB` cannot leave it.

use std::pin::Pin;

#[cfg(not(target_arch = "wasm32"))]
mod bounds {
    use super::Pin;

    /// `Send`, but on wasm32 any type.
    pub trait MaybeSend: Send {}
    impl<T: Send + ?Sized> MaybeSend for T {}

    /// `Sync`, but on wasm32 any type.
    pub trait MaybeSync: Sync {}
    impl<T: Sync + ?Sized> MaybeSync for T {}

    /// A boxed future that is [`MaybeSend`].
    pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
}

#[cfg(target_arch = "wasm32")]
mod bounds {
    use super::Pin;

    /// `Send`, but on wasm32 any type.
    pub trait MaybeSend {}
    impl<T: ?Sized> MaybeSend for T {}

    /// `Sync`, but on wasm32 any type.
    pub trait MaybeSync {}
    impl<T: ?Sized> MaybeSync for T {}

    /// A boxed future that is [`MaybeSend`].
    pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;
}

pub use bounds::{BoxFuture, MaybeSend, MaybeSync};
