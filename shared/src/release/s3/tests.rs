//! Releases in S3, where a server of that kind is named by the environment.
