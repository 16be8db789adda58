// Threads that wait until there is something for all of them to do.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "rooms.hpp"

namespace mule::parallel {

class Crew {
  public:
    explicit Crew(unsigned size) : size_(size), problems_(size) {}
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;
    ~Crew() {
        ended_ = true;
        begin_round();
        for (std::thread& thread : threads_) thread.join();
    }

    unsigned size() const { return size_; }

    // Calls `work(0)` here and `work(1)`, `work(2)`, ... in the other threads, and returns when all have returned. What
    // one of them throws is thrown here.
    template <typename Work>
    void run(Work&& work) {
        work_ = std::ref(work);
        while (threads_.size() + 1 < size_) hire();
        running_.store(size_ - 1, std::memory_order_relaxed);
        begin_round();
        attempt(0);
        wait_until(running_, [](unsigned running) { return running == 0; });
        for (std::exception_ptr& problem : problems_)
            if (problem) std::rethrow_exception(std::exchange(problem, nullptr));
    }

  private:
    // Looks before a thread sleeps: between two rounds there is little time, and waking up takes some.
    static constexpr unsigned kLooks = 5000;

    void hire() {
        const auto member = static_cast<unsigned>(threads_.size() + 1);
        auto live = [this, member, seen = round_.load(std::memory_order_relaxed)]() mutable {
            for (;;) {
                wait_until(round_, [&](unsigned round) { return round != seen; });
                ++seen;
                if (ended_.load(std::memory_order_relaxed)) return;
                attempt(member);
                if (running_.fetch_sub(1, std::memory_order_acq_rel) == 1) running_.notify_one();
            }
        };
        try {
            threads_.emplace_back(std::move(live));
        } catch (const std::system_error&) {  // there is no memory for its stack
            throw std::bad_alloc();
        }
    }

    void begin_round() {
        round_.fetch_add(1, std::memory_order_acq_rel);
        round_.notify_all();
    }

    void attempt(unsigned member) {
        try {
            work_(member);
        } catch (...) {
            problems_[member] = std::current_exception();
        }
    }

    template <typename Condition>
    static void wait_until(const std::atomic<unsigned>& value, Condition&& holds) {
        for (unsigned looks = 0;; ++looks) {
            const unsigned seen = value.load(std::memory_order_acquire);
            if (holds(seen)) return;
            if (looks < kLooks)
                pause();
            else
                value.wait(seen, std::memory_order_acquire);
        }
    }

    static void pause() {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    }

    unsigned size_;
    std::function<void(unsigned)> work_;
    std::vector<std::exception_ptr> problems_;  // one per member
    std::atomic<unsigned> round_ = 0;
    std::atomic<unsigned> running_ = 0;
    std::atomic<bool> ended_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace mule::parallel
