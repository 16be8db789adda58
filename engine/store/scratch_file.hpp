// A file without a name: it is gone when it is closed, or when the process ends, however it ends.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace mule::store {

// The disk is full, or cannot be written to.
struct DiskError : std::runtime_error {
    DiskError(const std::string& directory, int error)
        : std::runtime_error(directory + ": " + std::generic_category().message(error)) {}
};

// Makes a file in the directory, calls `use(name)`, and takes the name away. The file is gone when it is closed.
template <typename Use>
int make_nameless(const std::string& directory, Use&& use) {
    std::string name = directory + "/mule-XXXXXX";
    const int file = mkstemp(name.data());
    if (file < 0) throw DiskError(directory, errno);
    use(name);
    unlink(name.c_str());
    return file;
}

// Such a file as a stream.
inline std::fstream scratch_stream(const std::string& directory) {
    std::fstream stream;
    close(make_nameless(directory, [&](const std::string& name) {
        stream.open(name, std::ios::in | std::ios::out | std::ios::binary);
    }));
    return stream;
}

class ScratchFile {
  public:
    explicit ScratchFile(std::string directory) : directory_(std::move(directory)) {
#ifdef O_TMPFILE
        file_ = open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#endif
        if (file_ < 0) file_ = make_nameless(directory_, [](const std::string&) {});
    }
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;
    ScratchFile(ScratchFile&& other) noexcept { *this = std::move(other); }
    ScratchFile& operator=(ScratchFile&& other) noexcept {
        std::swap(directory_, other.directory_);
        std::swap(file_, other.file_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~ScratchFile() {
        if (file_ >= 0) close(file_);
    }

    std::uint64_t size() const { return size_; }

    void write(std::uint64_t offset, const void* data, std::size_t bytes) {
        transfer(offset, bytes, [&](std::size_t done, off_t at) {
            return pwrite(file_, static_cast<const char*>(data) + done, bytes - done, at);
        });
        size_ = std::max(size_, offset + bytes);
    }
    void read(std::uint64_t offset, void* data, std::size_t bytes) const {
        transfer(offset, bytes, [&](std::size_t done, off_t at) {
            return pread(file_, static_cast<char*>(data) + done, bytes - done, at);
        });
    }

  private:
    template <typename Some>
    void transfer(std::uint64_t offset, std::size_t bytes, Some&& some) const {
        for (std::size_t done = 0; done < bytes;) {
            const ssize_t moved = some(done, static_cast<off_t>(offset + done));
            if (moved > 0)
                done += static_cast<std::size_t>(moved);
            else if (moved == 0 || errno != EINTR)
                throw DiskError(directory_, moved == 0 ? EIO : errno);
        }
    }

    std::string directory_;
    int file_ = -1;
    std::uint64_t size_ = 0;
};

}  // namespace mule::store
